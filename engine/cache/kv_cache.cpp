#include "engine/cache/kv_cache.h"

#include <algorithm>
#include <cstring>

namespace engine {

namespace {

int pagesFor(int positions)
{
    return positions / kPagePositions + (positions % kPagePositions > 0 ? 1 : 0);
}

} // namespace

Result<KvCache> KvCache::create(std::span<const KvLayerShape> layers, int capacity, int batch)
{
    KvCache cache;
    cache.m_capacity = capacity;
    cache.m_batch = batch;
    const int allPages = pagesFor(capacity);
    for (const KvLayerShape& shape : layers) {
        Layer layer;
        layer.shape = shape;
        if (shape.heads > 0) {
            layer.pageBytes = static_cast<std::size_t>(shape.heads) * shape.layout.headBytes();
            // A page more, since neither the window nor the batch begins where a page does.
            // A window may be as large as a file likes to say.
            layer.ownPages =
                shape.window > 0
                    ? std::min(allPages, pagesFor(std::min(shape.window, capacity) + batch) + 1)
                    : allPages;
            TRY_ASSIGN(layer.buffer,
                       AlignedBuffer::allocate(static_cast<std::size_t>(layer.ownPages) *
                                               layer.pageBytes));
            for (int page = 0; page < allPages; ++page)
                layer.pages.push_back(layer.buffer.data() +
                                      static_cast<std::size_t>(page % layer.ownPages) *
                                          layer.pageBytes);
            cache.m_bytes += layer.buffer.size();
        }
        cache.m_layers.push_back(std::move(layer));
    }
    return cache;
}

std::size_t KvCache::Layer::usedBytes(int positions) const
{
    return static_cast<std::size_t>(std::min(ownPages, pagesFor(positions))) * pageBytes;
}

std::uint64_t KvCache::usedBytes(int positions) const
{
    std::uint64_t bytes = 0;
    for (const Layer& layer : m_layers)
        bytes += layer.usedBytes(positions);
    return bytes;
}

Result<KvCache> KvCache::copy(int positions) const
{
    std::vector<KvLayerShape> shapes;
    shapes.reserve(m_layers.size());
    for (const Layer& layer : m_layers)
        shapes.push_back(layer.shape);
    TRY_ASSIGN(KvCache cache, create(shapes, m_capacity, m_batch));
    for (std::size_t i = 0; i < m_layers.size(); ++i)
        if (const std::size_t bytes = m_layers[i].usedBytes(positions); bytes > 0)
            std::memcpy(cache.m_layers[i].buffer.data(), m_layers[i].buffer.data(), bytes);
    return cache;
}

bool KvCache::hasReusedPages() const
{
    return std::ranges::any_of(m_layers, &Layer::reusesPages);
}

Result<void> KvCache::saveReusedPages(int written, AlignedBuffer& saved) const
{
    if (saved.size() == 0) {
        std::size_t bytes = 0;
        for (const Layer& layer : m_layers)
            if (layer.reusesPages()) bytes += layer.buffer.size();
        TRY_ASSIGN(saved, AlignedBuffer::allocate(bytes));
    }
    std::byte* to = saved.data();
    for (const Layer& layer : m_layers) {
        if (!layer.reusesPages()) continue;
        std::memcpy(to, layer.buffer.data(), layer.usedBytes(written));
        to += layer.buffer.size();
    }
    return {};
}

void KvCache::restoreReusedPages(int written, const AlignedBuffer& saved)
{
    const std::byte* from = saved.data();
    for (Layer& layer : m_layers) {
        if (!layer.reusesPages()) continue;
        std::memcpy(layer.buffer.data(), from, layer.usedBytes(written));
        from += layer.buffer.size();
    }
}

void KvCache::store(int layer, int position, const float* keys, const float* values)
{
    Layer& own = m_layers[static_cast<std::size_t>(layer)];
    const KvLayout& layout = own.shape.layout;
    std::byte* page =
        own.buffer.data() +
        static_cast<std::size_t>(position / kPagePositions % own.ownPages) * own.pageBytes;
    for (int head = 0; head < own.shape.heads; ++head) {
        const auto at = static_cast<std::size_t>(head);
        const KvRows row{keys + at * static_cast<std::size_t>(layout.headDim), 0,
                         values + at * static_cast<std::size_t>(layout.headDimValue), 0};
        storeKv(layout, row, position % kPagePositions, 1, page + at * layout.headBytes());
    }
}

bool KvCache::canRewind(int length, int written) const
{
    return std::ranges::all_of(m_layers, [&](const Layer& layer) {
        if (layer.shape.heads == 0 || layer.shape.window == 0) return true;
        const int newestPage = std::max(0, written - 1) / kPagePositions;
        const int oldestPage = std::max(0, length - layer.shape.window) / kPagePositions;
        return newestPage - oldestPage < layer.ownPages;
    });
}

} // namespace engine
