#include "core/base/file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

namespace slipway {

FileDescriptor::~FileDescriptor() {
    if (number >= 0) ::close(number);
}

void flushFolder(const std::filesystem::path& folder) {
    const FileDescriptor opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.number >= 0) ::fsync(opened.number);
}

}  // namespace slipway
