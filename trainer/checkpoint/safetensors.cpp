#include "trainer/checkpoint/safetensors.h"

#include "core/base/json.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>

namespace slipway::trainer {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100U << 20U;

struct Word {
    at::ScalarType type;
    const char* word;
};
constexpr Word kWords[] = {{at::kDouble, "F64"},
                           {at::kFloat, "F32"},
                           {at::kBFloat16, "BF16"},
                           {at::kHalf, "F16"},
                           {at::kLong, "I64"},
                           {at::kInt, "I32"},
                           {at::kByte, "U8"},
                           {at::kBool, "BOOL"},
                           {at::kFloat8_e4m3fn, "F8_E4M3"},
                           {at::kFloat8_e5m2, "F8_E5M2"}};

Error ioError(const char* what, const std::filesystem::path& path) {
    const int number = errno;
    if (number == ENOSPC || number == EDQUOT)
        return {"disk_full", "The disk is full: the checkpoint was not written; earlier ones are untouched.",
                path.string()};
    return {"file_unwritable", std::string(what) + ": " + std::strerror(number) + ".", path.string()};
}

/// A file under construction: deleted unless completed.
class Output {
public:
    explicit Output(std::filesystem::path path)
        : m_path(std::move(path)), m_fd(::open(m_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {}
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() {
        if (m_fd < 0) return;
        ::close(m_fd);
        if (!m_complete) ::unlink(m_path.c_str());
    }
    Result<void> begin(std::uint64_t bytes) {
        if (m_fd < 0) return fail(ioError("The file cannot be created", m_path));
        // Reserve the space first: a full disk fails before a byte is written. Not every file system can reserve.
        if (const int error = ::posix_fallocate(m_fd, 0, static_cast<off_t>(bytes));
            error == ENOSPC || error == EDQUOT || error == EFBIG) {
            errno = error == EFBIG ? ENOSPC : error;
            return fail(ioError("No space", m_path));
        }
        return {};
    }
    Result<void> write(const void* data, std::size_t bytes) {
        m_hash.add(data, bytes);
        const char* at = static_cast<const char*>(data);
        while (bytes > 0) {
            const ssize_t n = ::write(m_fd, at, bytes);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return fail(ioError("The file cannot be written", m_path));
            at += n;
            bytes -= static_cast<std::size_t>(n);
        }
        return {};
    }
    Result<void> finish() {
        if (::fsync(m_fd) != 0) return fail(ioError("The file cannot be flushed", m_path));
        m_complete = true;
        return {};
    }
    [[nodiscard]] std::string hash() const { return m_hash.hex(); }

private:
    std::filesystem::path m_path;
    int m_fd;
    bool m_complete = false;
    ByteHash m_hash;
};

tl::unexpected<Error> bad(const std::string& path, const std::string& what) {
    return fail("bad_safetensors", "This is not a whole safetensors file: " + what + ".", path);
}

}  // namespace

void ByteHash::block(const unsigned char* at) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
        std::uint64_t word = 0;
        std::memcpy(&word, at + 8 * lane, sizeof word);
        m_lanes[lane] = std::rotl(m_lanes[lane] + word * 0xc2b2ae3d27d4eb4fULL, 31) * 0x9e3779b185ebca87ULL;
    }
}

void ByteHash::add(const void* data, std::size_t bytes) {
    if (bytes == 0) return;  // an empty tensor has no address
    const auto* at = static_cast<const unsigned char*>(data);
    m_total += bytes;
    if (m_numRest > 0) {
        const std::size_t take = std::min(bytes, sizeof m_rest - m_numRest);
        std::memcpy(m_rest + m_numRest, at, take);
        m_numRest += take;
        at += take;
        bytes -= take;
        if (m_numRest < sizeof m_rest) return;
        block(m_rest);
        m_numRest = 0;
    }
    for (; bytes >= sizeof m_rest; at += sizeof m_rest, bytes -= sizeof m_rest) block(at);
    std::memcpy(m_rest, at, bytes);
    m_numRest = bytes;
}

std::string ByteHash::hex() const {
    ByteHash last = *this;
    std::memset(last.m_rest + last.m_numRest, 0, sizeof last.m_rest - last.m_numRest);
    last.block(last.m_rest);
    std::uint64_t value = m_total * 0x9e3779b185ebca87ULL;
    for (const std::uint64_t lane : last.m_lanes) {
        value = std::rotl(value ^ (lane * 0xc2b2ae3d27d4eb4fULL), 27) * 0x9e3779b185ebca87ULL + 0x85ebca77c2b2ae63ULL;
        value ^= value >> 29U;
    }
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(value >> static_cast<unsigned>(shift)) & 15U];
    return text;
}

std::string safetensorsWord(at::ScalarType type) {
    for (const Word& word : kWords)
        if (word.type == type) return word.word;
    return {};
}

namespace {

// The length and the header, as at the beginning of the file.
std::string headOf(const std::vector<RawTensor>& tensors, const std::map<std::string, std::string>& metadata) {
    Json header = Json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::uint64_t offset = 0;
    for (const RawTensor& raw : tensors) {
        const std::uint64_t end = offset + raw.bytes;
        header[raw.name] = Json{{"dtype", raw.dtype}, {"shape", raw.shape}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = dumpJson(header, false);
    text.append((8 - text.size() % 8) % 8, ' ');  // data is aligned, as by the reference writer
    const std::uint64_t length = text.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

std::uint64_t dataBytes(const std::vector<RawTensor>& tensors) {
    std::uint64_t bytes = 0;
    for (const RawTensor& raw : tensors) bytes += raw.bytes;
    return bytes;
}

// @param write writes the data of tensor number i
template <class Write>
Result<WrittenFile> writeFile(const std::filesystem::path& path, const std::vector<RawTensor>& tensors,
                              const std::map<std::string, std::string>& metadata, Write&& write) {
    const std::string head = headOf(tensors, metadata);
    const std::uint64_t bytes = head.size() + dataBytes(tensors);
    Output file(path);
    if (auto ok = file.begin(bytes); !ok) return fail(ok.error());
    if (auto ok = file.write(head.data(), head.size()); !ok) return fail(ok.error());
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (auto ok = write(file, i); !ok) return fail(ok.error());
    if (auto ok = file.finish(); !ok) return fail(ok.error());
    return WrittenFile{bytes, file.hash()};
}

}  // namespace

std::uint64_t safetensorsBytes(const std::vector<RawTensor>& tensors,
                               const std::map<std::string, std::string>& metadata) {
    return headOf(tensors, metadata).size() + dataBytes(tensors);
}

Result<WrittenFile> writeSafetensors(const std::filesystem::path& path, const std::vector<RawTensor>& tensors,
                                     const std::map<std::string, std::string>& metadata) {
    return writeFile(path, tensors, metadata,
                     [&](Output& file, std::size_t i) { return file.write(tensors[i].data, tensors[i].bytes); });
}

Result<WrittenFile> writeSafetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                                     const std::map<std::string, std::string>& metadata) {
    std::vector<RawTensor> raw;
    for (const NamedTensor& named : tensors)
        raw.push_back({named.name, safetensorsWord(named.tensor.scalar_type()), named.tensor.sizes().vec(), nullptr,
                       named.tensor.nbytes()});
    return writeFile(path, raw, metadata, [&](Output& file, std::size_t i) {
        const at::Tensor host = tensors[i].tensor.cpu().contiguous();
        return file.write(host.const_data_ptr(), host.nbytes());
    });
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
    SafetensorsFile file;
    file.m_path = path.string();
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(errno == ENOENT ? "file_missing" : "file_unreadable",
                    std::string("The file cannot be opened: ") + std::strerror(errno) + ".", file.m_path);
    struct stat info {};
    const bool known = ::fstat(fd, &info) == 0;
    file.m_size = known ? static_cast<std::uint64_t>(info.st_size) : 0;
    void* data = file.m_size > 8 ? ::mmap(nullptr, file.m_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    ::close(fd);
    if (data == MAP_FAILED) return bad(file.m_path, "it has " + std::to_string(file.m_size) + " bytes");
    file.m_mapping = std::shared_ptr<const void>(
        data, [size = file.m_size](const void* p) { ::munmap(const_cast<void*>(p), size); });
    file.m_data = static_cast<const unsigned char*>(data);

    std::uint64_t length = 0;
    std::memcpy(&length, file.m_data, sizeof length);
    if (length > kMaxHeaderBytes || length > file.m_size - sizeof length)
        return bad(file.m_path, "its header leaves the file");
    file.m_dataStart = sizeof length + length;
    const Result<Json> header = parseJson(
        {reinterpret_cast<const char*>(file.m_data) + sizeof length, static_cast<std::size_t>(length)}, file.m_path);
    if (!header) return bad(file.m_path, header.error().message);
    if (!header->is_object()) return bad(file.m_path, "its header is no object");
    const std::uint64_t dataBytes = file.m_size - file.m_dataStart;
    for (const auto& [name, value] : header->items()) {
        if (name == "__metadata__") continue;
        try {
            Entry entry{value.at("dtype").get<std::string>(), value.at("shape").get<std::vector<std::int64_t>>(),
                        value.at("data_offsets").at(0).get<std::uint64_t>(),
                        value.at("data_offsets").at(1).get<std::uint64_t>()};
            if (entry.begin > entry.end || entry.end > dataBytes)
                return bad(file.m_path, "the data of \"" + name + "\" leave the file");
            file.m_entries.emplace(name, std::move(entry));
        } catch (const nlohmann::json::exception&) {
            return bad(file.m_path, "the entry \"" + name + "\" is malformed");
        }
    }
    return file;
}

Result<void> SafetensorsFile::read(const std::string& name, at::Tensor& target) const {
    const auto found = m_entries.find(name);
    if (found == m_entries.end()) return fail("tensor_missing", "The file has no tensor \"" + name + "\".", m_path);
    const Entry& entry = found->second;
    std::int64_t elements = 1;
    for (const std::int64_t size : entry.shape) elements *= size;
    if (entry.dtype != safetensorsWord(target.scalar_type()) || elements != target.numel() ||
        entry.end - entry.begin != target.nbytes()) {
        return fail("tensor_mismatch",
                    "The tensor \"" + name + "\" has another number format or size than this layout needs.", m_path);
    }
    if (elements == 0) return {};  // no bytes, and no address to copy them to
    const unsigned char* data = m_data + m_dataStart + entry.begin;
    if (target.is_cpu() && target.is_contiguous()) {
        std::memcpy(target.mutable_data_ptr(), data, target.nbytes());
        return {};
    }
    at::Tensor host = at::empty_like(target, at::TensorOptions().device(at::kCPU), at::MemoryFormat::Contiguous);
    std::memcpy(host.mutable_data_ptr(), data, target.nbytes());
    target.copy_(host);
    return {};
}

std::optional<RawTensor> SafetensorsFile::find(const std::string& name) const {
    const auto found = m_entries.find(name);
    if (found == m_entries.end()) return std::nullopt;
    const Entry& entry = found->second;
    return RawTensor{name, entry.dtype, entry.shape, m_data + m_dataStart + entry.begin, entry.end - entry.begin};
}

Result<at::Tensor> SafetensorsFile::tensor(const std::string& name) const {
    const std::optional<RawTensor> raw = find(name);
    if (!raw) return fail("tensor_missing", "The file has no tensor \"" + name + "\".", m_path);
    for (const Word& word : kWords) {
        if (raw->dtype != word.word) continue;
        at::Tensor values = at::empty(raw->shape, at::TensorOptions().dtype(word.type));
        if (values.nbytes() != raw->bytes) break;
        if (raw->bytes > 0) std::memcpy(values.mutable_data_ptr(), raw->data, raw->bytes);
        return values;
    }
    return fail("tensor_mismatch",
                "The tensor \"" + name + "\" (" + raw->dtype + ") cannot be read: its format or its size is wrong.",
                m_path);
}

std::vector<std::string> SafetensorsFile::names() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : m_entries) names.push_back(name);
    return names;
}

std::string SafetensorsFile::hash() const {
    ByteHash hash;
    hash.add(m_data, m_size);
    return hash.hex();
}

}  // namespace slipway::trainer
