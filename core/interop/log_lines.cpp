// Logs of lines: pieces of any size become lines, lines become the steps of one run.
#include "core/interop/log_builder.h"

#include <set>

namespace slipway::interop {

struct LineLog::Impl {
    std::string name;
    std::optional<RunConfig> config;
    std::optional<std::int64_t> worldSize;
    bool hasSink;
    LogBuilder builder;
    std::unique_ptr<LineReader> reader;
    Log log;
    std::string rest;  ///< of the last line, at most until it exceeds the length limit

    void line(std::string_view text) {
        ++log.lines;
        if (reader->line(text)) ++log.used;
    }
};

bool LineLog::reads(const std::string& format) {
    static const std::set<std::string> formats = {"megatron", "neox",        "deepspeed",   "torchtitan",
                                                  "nanotron", "llm-foundry", "huggingface", "prints"};
    return formats.contains(format);
}

LineLog::LineLog(const std::string& format, std::string name, std::optional<RunConfig> config,
                 std::optional<std::int64_t> worldSize, StepSink sink)
    : m_impl(std::make_unique<Impl>(Impl{
          std::move(name), std::move(config), worldSize, sink != nullptr, LogBuilder(format, sink), nullptr, {}, {}})) {
    Impl& impl = *m_impl;
    impl.log.format = format;
    impl.builder.setBasis(impl.config, worldSize);
    const double tokensPerStep = impl.config ? static_cast<double>(impl.config->tokensPerStep()) : 0;
    impl.reader = makeLineReader(format, impl.builder, tokensPerStep);
}

std::unique_ptr<LineReader> makeLineReader(const std::string& format, LogBuilder& builder, double tokensPerStep) {
    if (format == "prints") return makePrintsReader(builder, tokensPerStep);
    return format == "huggingface" ? makeHuggingFaceReader(builder) : makeConsoleReader(format, builder);
}

LineLog::~LineLog() = default;

void LineLog::feed(std::string_view piece) {
    std::string& rest = m_impl->rest;
    while (!piece.empty()) {
        const std::size_t end = piece.find('\n');
        const std::string_view part = piece.substr(0, end);
        if (end != std::string_view::npos && rest.empty()) {
            m_impl->line(part);
        } else {
            rest += part.substr(0, kLongestLine + 1 - rest.size());
            if (end == std::string_view::npos) return;
            m_impl->line(rest);
            rest.clear();
        }
        piece.remove_prefix(end + 1);
    }
}

Result<Log> LineLog::finish() {
    Impl& impl = *m_impl;
    if (!impl.rest.empty()) impl.line(impl.rest);
    if (impl.builder.empty()) return fail("bad_log", "No line of this log reports a step."_text, impl.name);
    LogRun run;
    run.name = impl.name;
    run.worldSize = impl.worldSize;
    if (impl.config) run.config = *impl.config;
    impl.reader->describe(run, impl.config.has_value());
    if (impl.hasSink)
        run.numStreamed = impl.builder.flush();
    else
        run.steps = impl.builder.takeSteps(run.configKnown ? std::optional(run.config) : impl.config, run.worldSize);
    Log log = std::move(impl.log);
    impl.builder.finish(log);
    log.runs.push_back(std::move(run));
    return log;
}

}  // namespace slipway::interop
