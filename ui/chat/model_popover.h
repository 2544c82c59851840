#pragma once

#include "ui/chat/context_section.h"
#include "ui/widgets/popover.h"

#include <QHash>
#include <QStringList>

namespace ui {

class Button;

/// The model picker: models opened before, Open… and Unload. Choosing leaves as a signal.
class ModelPopover : public Popover {
    Q_OBJECT
public:
    ModelPopover(const Theme& theme, QWidget* window);

    /// Paths, the newest first; `loadedPath` is marked, and can be unloaded.
    void setModels(const QStringList& recentPaths, const QString& loadedPath,
                   const QString& loadedName);

    /// What models call themselves, by path; for the next setModels(). Others go by their file.
    void setNames(const QHash<QString, QString>& names) { m_names = names; }

    /// The built-in model, a row of its own below the others; empty: there is none.
    void setStarter(const QString& path) { m_starter = path; }

    /// The lengths of context the model can be given; hidden where none is loaded.
    void setContext(const app::LoadedModel& model, int length, app::ContextStep step);
    ContextSection* contextSection() const { return m_context; }

    Button* openButton() const { return m_open; }
    /// The rows, in order.
    QList<QWidget*> rows() const { return m_rows; }

Q_SIGNALS:
    void modelChosen(const QString& path);
    void openFileRequested();
    void unloadRequested();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString nameOf(const QString& path) const;
    void addRow(const QString& path, const QString& name, bool loaded);
    QWidget* buildLine();

    const Theme& m_theme;
    QVBoxLayout* m_list;
    QList<QWidget*> m_rows;
    QWidget* m_heading;
    ContextSection* m_context;
    QWidget* m_contextLine; // above it
    Button* m_open;
    Button* m_unload;
    QString m_starter;
    QHash<QString, QString> m_names;
};

} // namespace ui
