#include "core/interop/live_log.h"

#include "core/interop/log_builder.h"
#include "core/interop/tf_events.h"

#include <algorithm>

namespace slipway::interop {
namespace {

constexpr std::size_t kGuessBytes = 256 << 10;  // of a log of unknown format; older lines are dropped

}  // namespace

struct LiveLog::Impl {
    std::string format;   // empty: not detected yet
    std::string unread;   // until detected
    std::string columns;  // the first line of a CSV
    std::unique_ptr<LogBuilder> builder;
    std::unique_ptr<LineReader> reader;

    bool isFile() const { return format == "csv" || format == "tensorboard"; }

    void begin(const std::string& chosen) {
        format = chosen;
        builder = std::make_unique<LogBuilder>(chosen);
        reader = makeLineReader(chosen, *builder);
    }
    void read(std::string_view lines) {
        while (!lines.empty()) {
            const std::size_t end = lines.find('\n');
            reader->line(lines.substr(0, std::min(end, kLongestLine + 1)));
            if (end == std::string_view::npos) return;
            lines.remove_prefix(end + 1);
        }
    }
};

std::string liveFormats() {
    return "megatron, neox, deepspeed, torchtitan, nanotron, llm-foundry, huggingface, prints";
}

Result<LiveLog> LiveLog::make(const LogReading& reading, std::string_view head) {
    auto impl = std::make_unique<Impl>();
    std::string mapped;
    if (!reading.columns.empty()) {
        auto renamed = renamedColumns(head, reading.columns);
        if (!renamed) return fail(renamed.error());
        mapped = std::move(*renamed);
        head = mapped;
    }
    const std::string guessed = reading.format == "auto" && !head.empty() ? guessLogFormat(head) : reading.format;
    if (guessed == "csv" || guessed == "tensorboard") {
        impl->format = guessed;
        impl->builder = std::make_unique<LogBuilder>(guessed);
        impl->columns = head.substr(0, head.find('\n'));
        return LiveLog(std::move(impl));
    }
    if (reading.format == "pattern") {
        impl->format = reading.format;
        impl->builder = std::make_unique<LogBuilder>("prints");
        auto reader = makePatternReader(reading.pattern, *impl->builder);
        if (!reader) return fail(reader.error());
        impl->reader = std::move(*reader);
    } else if (LineLog::reads(reading.format)) {
        impl->begin(reading.format);
    } else if (reading.format == "none") {
        impl->format = reading.format;
    } else if (reading.format != "auto") {
        return fail("usage", "Unknown log format \"%1\"; choose one of %2."_text(reading.format, liveFormats()));
    }
    return LiveLog(std::move(impl));
}

LiveLog::LiveLog(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
LiveLog::LiveLog(LiveLog&&) noexcept = default;
LiveLog& LiveLog::operator=(LiveLog&&) noexcept = default;
LiveLog::~LiveLog() = default;

std::vector<MetricStep> LiveLog::feed(std::string_view lines) {
    Impl& impl = *m_impl;
    if (impl.isFile() || impl.format == "none") return {};
    if (impl.reader == nullptr) {
        impl.unread += lines;
        if (impl.unread.size() > kGuessBytes)
            impl.unread.erase(0, impl.unread.find('\n', impl.unread.size() - kGuessBytes / 2) + 1);
        const std::string guessed = guessLogFormat(impl.unread);
        if (!LineLog::reads(guessed)) return {};
        impl.begin(guessed);
        impl.read(std::exchange(impl.unread, {}));
    } else {
        impl.read(lines);
    }
    return impl.builder->takeSteps({}, {});
}

LiveLog::Taken LiveLog::take(std::string_view bytes, std::uint64_t offset, bool isOver) {
    Impl& impl = *m_impl;
    Taken taken;
    if (impl.format == "tensorboard") {
        const EventCounts counts = readScalarEvents(bytes, [&](const ScalarEvent& event) {
            if (event.tag.find(" vs samples") != std::string::npos) return;  // Megatron's second copy of each curve
            impl.builder->add(event.step, event.tag, event.value);
            if (event.wallSeconds > 0 && event.wallSeconds < 1e11)
                impl.builder->time(event.step, static_cast<std::int64_t>(event.wallSeconds * 1000));
        });
        taken.bytes = counts.bytes;
        taken.steps = impl.builder->takeSteps({}, {});
        return taken;
    }
    taken.bytes = isOver ? bytes.size() : bytes.rfind('\n') + 1;
    std::string_view lines = bytes.substr(0, taken.bytes);
    if (impl.format != "csv") {
        taken.steps = feed(lines);
        return taken;
    }
    if (offset == 0)
        lines.remove_prefix(lines.find('\n') == std::string_view::npos ? lines.size() : lines.find('\n') + 1);
    if (lines.empty()) return taken;
    if (auto log = readStepTable(impl.columns + "\n" + std::string(lines), "csv", {}); log && !log->runs.empty())
        taken.steps = std::move(log->runs.front().steps);
    return taken;
}

const std::string& LiveLog::format() const {
    return m_impl->format;
}

ReasonCounts LiveLog::malformed() const {
    Log log;
    if (m_impl->builder) m_impl->builder->finish(log);
    return log.malformed;
}

}  // namespace slipway::interop
