#include "app/agent/node_bench.h"

#include "app/agent/request_fields.h"
#include "core/remote/frame.h"

#include <nlohmann/json.hpp>
#include <signal.h>

#include <algorithm>
#include <array>

extern char** environ;

namespace slipway {
namespace {

constexpr std::array kParts = {"gemm", "memory", "comm", "nccl", "gpu"};
constexpr std::int64_t kMostRanks = 64;

std::string lastLineOf(const std::string& text) {
    const std::size_t end = text.find_last_not_of(" \n");
    if (end == std::string::npos) return {};
    const std::size_t begin = text.rfind('\n', end);
    return text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? -1 : begin));
}

}  // namespace

NodeBench::~NodeBench() {
    end();
}

void NodeBench::end() {
    for (Process& process : m_processes) process.signalGroup(SIGKILL);
    for (Process& process : m_processes) process.wait(1);
    m_processes.clear();
}

Result<void> NodeBench::start(const Json& request) {
    end();
    ProcessSpec spec;
    spec.arguments = {textOf(request, "trainer"), "bench", "--json"};
    if (spec.arguments.front().empty() || spec.arguments.front().front() != '/')
        return fail("bad_request", "The path of the trainer must be absolute."_text, "trainer");
    const Json parts = request.contains("parts") && request["parts"].is_array() ? request["parts"] : Json::array();
    for (const Json& part : parts) {
        if (!part.is_string() || std::find(kParts.begin(), kParts.end(), part.get<std::string>()) == kParts.end())
            return fail("bad_request", "The agent does not support this part of a measurement."_text, "parts");
        spec.arguments.push_back("--" + part.get<std::string>());
    }
    spec.captureOutput = true;
    spec.newSession = true;
    spec.parentDeathSignal = SIGKILL;
    const std::int64_t ranks = numberOf(request, "ranks", 1), world = numberOf(request, "world", 1);
    if (ranks < 1 || ranks > kMostRanks || world < ranks)
        return fail("bad_request", "The number of ranks must be from 1 to 64."_text, "ranks");
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        spec.environment.emplace();
        for (char** entry = environ; *entry != nullptr; ++entry) spec.environment->emplace_back(*entry);
        if (world > 1)
            for (const auto& [key, value] :
                 {std::pair<const char*, std::string>{"RANK", std::to_string(numberOf(request, "first", 0) + rank)},
                  {"LOCAL_RANK", std::to_string(rank)},
                  {"WORLD_SIZE", std::to_string(world)},
                  {"LOCAL_WORLD_SIZE", std::to_string(ranks)},
                  {"MASTER_ADDR", textOf(request, "address")},
                  {"MASTER_PORT", std::to_string(numberOf(request, "port", 0))},
                  {"SLIPWAY_STORE_SECRET", textOf(request, "secret")}})
                spec.environment->push_back(std::string(key) + "=" + value);
        auto process = Process::start(spec);
        if (!process) return fail(process.error());
        m_processes.push_back(std::move(*process));
    }
    return {};
}

Result<Json> NodeBench::look(std::string& bytes) {
    if (m_processes.empty()) return fail("no_bench", "The measurement on this node has ended with its link."_text);
    bool isRunning = false;
    for (Process& process : m_processes) {
        const auto& exit = process.poll();
        isRunning = isRunning || !exit;
        if (!exit || exit->ok()) continue;
        const std::string words = lastLineOf(process.errorOutput());
        Json answer{{"running", false}, {"ok", false}, {"words", words.empty() ? exit->text() : words.substr(0, 2000)}};
        end();  // otherwise the others would wait for it
        return answer;
    }
    if (isRunning) return Json{{"running", true}};
    bytes = m_processes.front().output();
    end();
    if (bytes.size() > kFrameDataBytes) return fail("too_long", "The trainer printed more than a frame holds."_text);
    return Json{{"running", false}, {"ok", true}};
}

}  // namespace slipway
