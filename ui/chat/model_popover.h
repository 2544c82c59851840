#pragma once

#include "ui/widgets/popover.h"

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

    /// The built-in model, a row of its own below the others; empty: there is none.
    void setStarter(const QString& path) { m_starter = path; }

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
    void addRow(const QString& path, bool loaded);

    const Theme& m_theme;
    QVBoxLayout* m_list;
    QList<QWidget*> m_rows;
    QWidget* m_heading;
    Button* m_open;
    Button* m_unload;
    QString m_starter;
};

} // namespace ui
