#include "core/planner/time/nccl_tests.h"

#include "core/planner/time/communication.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

namespace slipway {

namespace {

constexpr std::string_view kStart = "# nThread ";
constexpr std::string_view kOperation = "# Collective test starting: ";

/// By the names of the programs.
std::optional<Collective> operationOf(std::string_view program) {
    struct Program {
        std::string_view name;
        Collective operation;
    };
    constexpr std::array kPrograms{
        Program{"all_reduce_perf", Collective::AllReduce},         Program{"all_gather_perf", Collective::AllGather},
        Program{"reduce_scatter_perf", Collective::ReduceScatter}, Program{"alltoall_perf", Collective::AllToAll},
        Program{"broadcast_perf", Collective::Broadcast},          Program{"sendrecv_perf", Collective::Send}};
    for (const Program& known : kPrograms)
        if (program.starts_with(known.name)) return known.operation;  // also all_reduce_perf_mpi
    return {};
}

std::optional<double> numberOf(const std::string& word) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) return {};
    return value;
}

std::vector<std::string> wordsOf(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

struct Reader {
    const std::string& name;
    std::vector<NcclTest> tests;
    std::optional<Collective> operation;  // announced, of the test about to start
    std::set<std::string> hosts;
    std::size_t secondsColumn = 0;

    auto bad(std::size_t line, const Message& message) const {
        return fail("bad_value", message, name + ":" + std::to_string(line));
    }

    Result<void> startTest(std::size_t line) {
        if (!operation)
            return bad(
                line,
                "The log does not name the collective of this test (\"Collective test starting: ...\"); use current nccl-tests, or a CSV with the column collective."_text);
        tests.push_back({});
        tests.back().curve.operation = *operation;
        operation.reset();
        hosts.clear();
        secondsColumn = 0;
        return {};
    }

    /// "#  Rank  8 Group  0 Pid 739786 on  node-2 device  0 ..."
    void readRank(const std::vector<std::string>& words) {
        const auto group = std::find(words.begin(), words.end(), "Group"),
                   on = std::find(words.begin(), words.end(), "on");
        if (on == words.end() || on + 1 == words.end()) return;
        if (group != words.end() && group + 1 != words.end() && *(group + 1) != "0") return;
        CommCurve& curve = tests.back().curve;
        hosts.insert(*(on + 1));
        ++curve.ranks;
        const auto nodes = static_cast<std::int64_t>(hosts.size());
        curve.ranksPerNode = (curve.ranks + nodes - 1) / nodes;
    }

    /// "  8388608  2097152  float  sum  -1  175.69  47.75  89.52  0 ..."
    Result<void> readSize(std::size_t line, const std::vector<std::string>& words) {
        NcclTest& test = tests.back();
        if (secondsColumn == 0) return bad(line, "Figures before the header line."_text);
        const auto bytes = numberOf(words.front());
        const auto microseconds = secondsColumn < words.size() ? numberOf(words[secondsColumn]) : std::nullopt;
        if (!bytes || !microseconds || !(*bytes >= 0) || !(*microseconds > 0))
            return bad(line, "A line of figures needs a size and a time above 0."_text);
        const double sent = ringBytes(test.curve.operation, static_cast<double>(test.curve.ranks), *bytes);
        if (sent > 0) test.messages.push_back({sent, *microseconds / 1e6});
        return {};
    }

    Result<void> readLine(std::size_t line, const std::string& text) {
        if (const auto at = text.find(kOperation); at != std::string::npos) {
            const std::string program = text.substr(at + kOperation.size());
            operation = operationOf(program);
            if (!operation) return bad(line, "There is no curve for %1."_text(program));
            return {};
        }
        if (text.find(kStart) != std::string::npos) return startTest(line);
        if (tests.empty()) return {};
        // mpirun --tag-output prefixes each line with its origin.
        const auto tag = text.find("<stdout>:");
        const auto words = wordsOf(tag == std::string::npos ? text : text.substr(tag + 9));
        if (words.size() > 2 && words[0] == "#" && words[1] == "Rank") {
            readRank(words);
        } else if (words.size() > 2 && words[0] == "#" && words[1] == "size") {
            const auto time = std::find(words.begin(), words.end(), "time");
            secondsColumn = time == words.end() ? 0 : static_cast<std::size_t>(time - words.begin()) - 1;
        } else if (words.size() > 5 && words[0].find_first_not_of("0123456789") == std::string::npos) {
            return readSize(line, words);
        }
        return {};
    }
};

}  // namespace

bool isNcclTests(const std::string& text) {
    return text.find(kStart) != std::string::npos;
}

Result<std::vector<NcclTest>> readNcclTests(const std::string& text, const std::string& name) {
    Reader reader{name, {}, {}, {}, 0};
    std::istringstream in(text);
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);)
        if (const auto read = reader.readLine(++number, line); !read) return fail(read.error());
    for (const NcclTest& test : reader.tests) {
        const auto which = wordOf(test.curve.operation);
        if (test.curve.ranks < 2)
            return fail("bad_value", "The test of %1 has fewer than two ranks."_text(which), name);
        if (test.messages.size() < 2)
            return fail("bad_value",
                        "The test of %1 has fewer than two sizes; latency and bandwidth need two."_text(which), name);
    }
    return std::move(reader.tests);
}

}  // namespace slipway
