#include "core/report/parquet.h"

#include "core/base/untrusted_text.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>

namespace slipway {
namespace {

constexpr std::size_t kPageRows = 65536;
constexpr std::string_view kMagic = "PAR1";

// Enumerators of parquet.thrift.
enum PhysicalType { kBoolean = 0, kInt64 = 2, kDouble = 5, kByteArray = 6 };
enum ConvertedType { kUtf8 = 0, kTimestampMillis = 9 };
constexpr int kOptional = 1, kPlain = 0, kRle = 3, kUncompressed = 0, kDataPage = 0;

void appendLittleEndian(std::string& out, std::uint64_t value, int numBytes) {
    for (int i = 0; i < numBytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
}

void appendVarint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
    out += static_cast<char>(value);
}

/// Thrift's compact protocol: fields by the difference of their numbers, integers as zigzag varints.
class Thrift {
public:
    enum Type { kI32 = 5, kI64 = 6, kBinary = 8, kList = 9, kStruct = 12 };

    void integer(int field, std::int64_t value, Type type = kI32) {
        head(field, type);
        zigzag(value);
    }
    void text(int field, std::string_view value) {
        head(field, kBinary);
        bytes(value);
    }
    void list(int field, Type of, std::size_t size) {
        head(field, kList);
        if (size < 15) {
            m_out += static_cast<char>((size << 4) | static_cast<std::size_t>(of));
        } else {
            m_out += static_cast<char>(0xF0 | of);
            appendVarint(m_out, size);
        }
    }
    void begin(int field) {
        head(field, kStruct);
        beginItem();
    }
    void beginItem() { m_last.push_back(0); }
    void end() {
        m_out += '\0';
        m_last.pop_back();
    }
    void zigzag(std::int64_t value) {
        appendVarint(m_out, (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
    }
    void bytes(std::string_view value) {
        appendVarint(m_out, value.size());
        m_out += value;
    }
    [[nodiscard]] const std::string& out() const { return m_out; }

private:
    void head(int field, Type type) {
        m_out += static_cast<char>(((field - m_last.back()) << 4) | type);  // no two fields here are 16 apart
        m_last.back() = field;
    }
    std::string m_out;
    std::vector<int> m_last{0};
};

int physicalOf(ParquetType type) {
    switch (type) {
        case ParquetType::Real: return kDouble;
        case ParquetType::Text: return kByteArray;
        case ParquetType::Flag: return kBoolean;
        default: return kInt64;
    }
}

bool fits(const ParquetColumn& column, std::size_t numRows) {
    return column.values.size() == numRows &&
           std::all_of(column.values.begin(), column.values.end(), [&](const auto& value) {
               return std::holds_alternative<std::monostate>(value) ||
                      value.index() == (column.type == ParquetType::Real   ? 2U
                                        : column.type == ParquetType::Text ? 3U
                                                                           : 1U);
           });
}

/// Known or not, one bit per row, as runs of equal bits (Encodings: RLE, bit width 1), after its length.
std::string levelsOf(const ParquetColumn& column, std::size_t begin, std::size_t end) {
    std::string runs;
    for (std::size_t at = begin; at < end;) {
        const bool known = column.values[at].index() != 0;
        std::size_t next = at;
        while (next < end && (column.values[next].index() != 0) == known) ++next;
        appendVarint(runs, (next - at) << 1);
        runs += static_cast<char>(known);
        at = next;
    }
    std::string out;
    appendLittleEndian(out, runs.size(), 4);
    return out + runs;
}

std::string valuesOf(const ParquetColumn& column, std::size_t begin, std::size_t end) {
    std::string out;
    std::uint64_t bits = 0;
    int numBits = 0;
    for (std::size_t at = begin; at < end; ++at) {
        const auto& value = column.values[at];
        if (const auto* text = std::get_if<std::string>(&value)) {
            const std::string safe = checkText(*text, "") ? *text : UntrustedText(*text).plainLines();
            appendLittleEndian(out, safe.size(), 4);
            out += safe;
        } else if (const auto* real = std::get_if<double>(&value)) {
            appendLittleEndian(out, std::bit_cast<std::uint64_t>(*real), 8);
        } else if (const auto* whole = std::get_if<std::int64_t>(&value); whole && column.type == ParquetType::Flag) {
            bits |= static_cast<std::uint64_t>(*whole != 0) << numBits;
            if (++numBits == 8) {
                out += static_cast<char>(bits);
                bits = 0;
                numBits = 0;
            }
        } else if (whole) {
            appendLittleEndian(out, static_cast<std::uint64_t>(*whole), 8);
        }
    }
    if (numBits > 0) out += static_cast<char>(bits);
    return out;
}

std::string pageHeader(std::size_t numBytes, std::size_t numRows) {
    Thrift header;
    header.integer(1, kDataPage);
    header.integer(2, static_cast<std::int64_t>(numBytes));
    header.integer(3, static_cast<std::int64_t>(numBytes));
    header.begin(5);
    header.integer(1, static_cast<std::int64_t>(numRows));
    header.integer(2, kPlain);
    header.integer(3, kRle);
    header.integer(4, kRle);
    header.end();
    header.end();
    return header.out();
}

struct Chunk {
    std::size_t begin = 0, size = 0;
};

void writeSchema(Thrift& footer, const std::vector<ParquetColumn>& columns) {
    footer.list(2, Thrift::kStruct, columns.size() + 1);
    footer.beginItem();
    footer.text(4, "schema");
    footer.integer(5, static_cast<std::int64_t>(columns.size()));
    footer.end();
    for (const ParquetColumn& column : columns) {
        footer.beginItem();
        footer.integer(1, physicalOf(column.type));
        footer.integer(3, kOptional);
        footer.text(4, column.name);
        if (column.type == ParquetType::Text) footer.integer(6, kUtf8);
        if (column.type == ParquetType::Time) footer.integer(6, kTimestampMillis);
        footer.end();
    }
}

void writeRowGroup(Thrift& footer, const std::vector<ParquetColumn>& columns, const std::vector<Chunk>& chunks,
                   std::size_t numRows) {
    std::size_t numBytes = 0;
    footer.list(4, Thrift::kStruct, 1);
    footer.beginItem();
    footer.list(1, Thrift::kStruct, columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto begin = static_cast<std::int64_t>(chunks[i].begin), size = static_cast<std::int64_t>(chunks[i].size);
        numBytes += chunks[i].size;
        footer.beginItem();
        footer.integer(2, begin, Thrift::kI64);
        footer.begin(3);
        footer.integer(1, physicalOf(columns[i].type));
        footer.list(2, Thrift::kI32, 2);
        footer.zigzag(kPlain);
        footer.zigzag(kRle);
        footer.list(3, Thrift::kBinary, 1);
        footer.bytes(columns[i].name);
        footer.integer(4, kUncompressed);
        footer.integer(5, static_cast<std::int64_t>(numRows), Thrift::kI64);
        footer.integer(6, size, Thrift::kI64);
        footer.integer(7, size, Thrift::kI64);
        footer.integer(9, begin, Thrift::kI64);
        footer.end();
        footer.end();
    }
    footer.integer(2, static_cast<std::int64_t>(numBytes), Thrift::kI64);
    footer.integer(3, static_cast<std::int64_t>(numRows), Thrift::kI64);
    footer.end();
}

}  // namespace

Result<std::string> toParquet(const std::vector<ParquetColumn>& columns, std::size_t numRows) {
    std::string out(kMagic);
    std::vector<Chunk> chunks;
    for (const ParquetColumn& column : columns) {
        if (!fits(column, numRows))
            return fail("bad_table", "Column %1 has other values than its type or number of rows."_text(column.name),
                        column.name);
        Chunk& chunk = chunks.emplace_back(Chunk{out.size()});
        for (std::size_t begin = 0; begin < numRows; begin += kPageRows) {
            const std::size_t end = std::min(begin + kPageRows, numRows);
            const std::string page = levelsOf(column, begin, end) + valuesOf(column, begin, end);
            if (page.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
                return fail("file_too_large",
                            "The text of column %1 is too long for Parquet; leave the column out."_text(column.name));
            out += pageHeader(page.size(), end - begin) + page;
        }
        chunk.size = out.size() - chunk.begin;
    }
    Thrift footer;
    footer.integer(1, 1);
    writeSchema(footer, columns);
    footer.integer(3, static_cast<std::int64_t>(numRows), Thrift::kI64);
    writeRowGroup(footer, columns, chunks, numRows);
    footer.text(6, "slipway");
    footer.end();
    out += footer.out();
    appendLittleEndian(out, footer.out().size(), 4);
    return out + std::string(kMagic);
}

}  // namespace slipway
