#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QThread>

#include <algorithm>
#include <ctime>

namespace test {

/// How long the window's thread is busy in one go: its own time, where the system tells it, so that
/// a loaded machine does not count.
class BusyTime {
public:
    template <typename Action>
    void in(Action action)
    {
        const double start = now();
        action();
        m_longest = std::max(m_longest, now() - start);
    }

    /// Handles events until `done`; false: it was not within a minute.
    template <typename Condition>
    bool until(Condition done)
    {
        constexpr qint64 kMostMs = 60'000;
        QElapsedTimer clock;
        clock.start();
        while (!done()) {
            if (clock.elapsed() > kMostMs) return false;
            in([] {
                QCoreApplication::processEvents();
                QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            });
            QThread::msleep(1);
        }
        return true;
    }

    void for_(int milliseconds)
    {
        QElapsedTimer clock;
        clock.start();
        until([&] { return clock.elapsed() >= milliseconds; });
    }

    double longestMs() const { return m_longest; }
    void forget() { m_longest = 0; }

private:
    static double now()
    {
#ifdef CLOCK_THREAD_CPUTIME_ID
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
#else
        static const QElapsedTimer clock = [] {
            QElapsedTimer started;
            started.start();
            return started;
        }();
        return static_cast<double>(clock.nsecsElapsed()) / 1e6;
#endif
    }

    double m_longest = 0;
};

} // namespace test
