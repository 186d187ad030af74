// SHA-256 (FIPS 180-4): identifies sources, tokenizers and files copied to nodes by content.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace slipway {

class Sha256 {
public:
    void add(std::string_view bytes);
    /// The digest of all added bytes, as 64 hex digits; the object must not be used afterwards.
    std::string hex();

private:
    void block(const unsigned char* bytes);

    std::array<std::uint32_t, 8> m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> m_buffer{};
    std::uint64_t m_length = 0;
};

std::string sha256Of(std::string_view bytes);

}  // namespace slipway
