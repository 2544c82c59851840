#pragma once

#include <QString>

namespace app {

/// The model that a picked or dropped path means: a .gguf file as it is; the folder of a
/// config.json, of safetensors or of their index; a folder with a config.json as it is. Empty
/// where it is nothing of these.
QString modelPathOf(const QString& picked);

/// What to call a model before it is opened: a file without its suffix, a folder as it is.
QString modelNameOf(const QString& path);

} // namespace app
