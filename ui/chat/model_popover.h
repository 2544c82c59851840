#pragma once

#include "app/inference/generation_types.h"
#include "ui/widgets/popover.h"

#include <QHash>
#include <QStringList>

class QComboBox;

namespace ui {

class Button;
class Label;

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
    void setContext(const app::LoadedModel& model);
    QComboBox* contextBox() const { return m_context; }

    Button* openButton() const { return m_open; }
    /// The rows, in order.
    QList<QWidget*> rows() const { return m_rows; }

Q_SIGNALS:
    void modelChosen(const QString& path);
    void openFileRequested();
    void unloadRequested();
    void contextChosen(int tokens);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString nameOf(const QString& path) const;
    void addRow(const QString& path, const QString& name, bool loaded);
    QWidget* buildContextRow();
    QWidget* buildLine();
    void showContextBytes();

    const Theme& m_theme;
    QVBoxLayout* m_list;
    QList<QWidget*> m_rows;
    QWidget* m_heading;
    QWidget* m_contextPart; // a line above it, and the row
    QComboBox* m_context;
    Label* m_contextBytes;
    quint64 m_bytesPerToken = 0;
    Button* m_open;
    Button* m_unload;
    QString m_starter;
    QHash<QString, QString> m_names;
};

} // namespace ui
