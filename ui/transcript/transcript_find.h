#pragma once

#include "app/conversation/message.h"
#include "ui/transcript/message_widget.h"

#include <QList>

#include <compare>
#include <tuple>

namespace ui {

/// An occurrence of the searched text in what a message shows.
struct FindHit {
    qint64 id = 0;
    MessageAnchor::Part part = MessageAnchor::Part::Body;
    qsizetype block = 0;
    int fragment = 0; ///< within the block
    int offset = 0;
    int length = 0;
    double share = 0; ///< of the part's letters that stand before it, about

    /// In the order of reading: ids grow along a branch.
    auto operator<=>(const FindHit& other) const
    {
        return std::tie(id, part, block, fragment, offset) <=>
               std::tie(other.id, other.part, other.block, other.fragment, other.offset);
    }
    bool operator==(const FindHit& other) const { return (*this <=> other) == 0; }
};

/// Searches the text messages show, formatted as they show it, without their widgets. Accents do
/// not count: see FoldedText.
QList<FindHit> findIn(const app::Message& message, const QString& text,
                      Qt::CaseSensitivity sensitivity);

/// The texts of a block's fragments.
QStringList fragmentTexts(const MarkdownBlock& block);

} // namespace ui
