// report: a sweep, or runs by name, filter or saved view, as a file for people.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/report/build_report.h"
#include "core/store/run_view.h"

#include <algorithm>
#include <limits>

namespace slipway {
namespace {

class ReportCommand : public Command {
public:
    std::string name() const override { return "report"; }
    Message summary() const override { return "Write a report of a sweep or of runs"_text; }
    Examples examples() const override {
        return {
            {"slipway report", "the newest sweep, as HTML on standard output"_text},
            {"slipway report SWEEP --output report.pdf"},
            {"slipway report dp2 tp2 --format md"},
            {"slipway report --filter 'tag:final status:completed' --title \"Layouts\" --author Ada -o layouts.pdf"},
            {"slipway report --view tensor --lang ko -o tensor.html"}};
    }
    void declare(Arguments& arguments) override {
        const Argument what =
            arguments.option("what", m_what, "A sweep, or one or more runs; default: the newest sweep"_text)
                .shownAs("SWEEP|RUN");
        arguments.option("--filter", m_filters, "Runs that match; may be repeated, and all must match"_text)
            .shownAs("FILTER")
            .oneEach()
            .excludes(what);
        arguments.option("--view", m_view, "The runs of a saved view, in its order; --filter adds to its filter"_text)
            .shownAs("NAME")
            .excludes(what);
        arguments.option("--title", m_head.title, "Title; default: the sweep's or the run's name"_text).shownAs("TEXT");
        arguments.option("--author", m_head.author, "Author"_text).shownAs("TEXT");
        arguments
            .option("--question", m_head.question, "The question that the report answers; default: the sweep's"_text)
            .shownAs("TEXT");
        arguments.option("--date", m_head.date, "Date; default: today (UTC)"_text).shownAs("DATE");
        arguments
            .option("--format", m_format, "html, pdf, md, csv or latex; default: from the file's name, else html"_text)
            .oneOf(reportFormats());
        arguments.option("--output,-o", m_output, "File to write; default: standard output"_text).shownAs("FILE");
    }
    Result<int> run(CliContext& context) override {
        const auto form = format();
        if (!form) return fail(form.error());
        if (context.json && m_output.empty())
            return fail("usage",
                        "With --json name the file to write; the figures as JSON are in slipway compare --json."_text,
                        "--output");
        if (*form == ReportFormat::Pdf && m_output.empty() && context.outColour)
            return fail("usage", "A PDF is not for a terminal; name the file to write."_text, "--output");
        auto store = openStore(context);
        if (!store) return fail(store.error());
        const auto about = subject(context, *store);
        if (!about) return fail(about.error());
        m_head.language = context.language;
        if (m_head.date.empty()) m_head.date = reportDate(context.now());
        const auto text = reportFile(*store, context.home, *about, m_head, *form);
        if (!text) return fail(text.error());
        if (m_output.empty()) {
            context.out << *text;
            return kExitDone;
        }
        if (auto written = writeFileAtomically(m_output, *text); !written) return fail(written.error());
        context.err << "Report: %1"_text(m_output) << '\n';
        if (context.json)
            context.out << dumpJson(
                Json{{"output", m_output}, {"format", reportFormats()[static_cast<std::size_t>(*form)]}}, true);
        return kExitDone;
    }

private:
    [[nodiscard]] Result<ReportFormat> format() const {
        const auto& all = reportFormats();
        if (!m_format.empty())
            return static_cast<ReportFormat>(std::find(all.begin(), all.end(), m_format) - all.begin());
        if (const auto known = reportFormatOf(m_output)) return *known;
        if (std::filesystem::path(m_output).extension().empty()) return ReportFormat::Html;
        return fail("usage",
                    "A report is .html, .pdf, .md, .csv or .tex; choose the form of another ending with --format."_text,
                    m_output);
    }

    [[nodiscard]] Result<ReportSubject> subject(CliContext& context, RunStore& store) const {
        if (!m_filters.empty() || !m_view.empty()) return matching(context, store);
        const auto sweeps = store.sweeps();
        if (!sweeps) return fail(sweeps.error());
        if (m_what.empty()) {
            if (sweeps->empty())
                return fail("sweep_missing",
                            "No sweep has run yet; name a run, or run one with slipway sweep FILE."_text);
            return ReportSubject{sweeps->front().id, {}};
        }
        if (m_what.size() == 1)
            for (const SweepRecord& sweep : *sweeps)
                if (sweep.id.value.starts_with(m_what[0]) || sweep.name == m_what[0])
                    return ReportSubject{sweep.id, {}};
        return findRuns(store, m_what).map([](const std::vector<RunId>& ids) { return ReportSubject{{}, ids}; });
    }

    [[nodiscard]] Result<ReportSubject> matching(CliContext& context, RunStore& store) const {
        auto view = m_view.empty() ? RunView() : readView(context.home, m_view);
        if (!view) return fail(view.error());
        std::vector<std::string> filters{view->filter};
        filters.insert(filters.end(), m_filters.begin(), m_filters.end());
        RunQuery query;
        query.filter = allOf(filters);
        query.sort = view->sort;
        query.scope = view->scope;
        query.limit = std::numeric_limits<std::int64_t>::max();
        query.nowUnixMilliseconds = context.now();
        const auto rows = store.list(query);
        if (!rows) return fail(rows.error());
        ReportSubject subject;
        for (const RunRow& row : *rows) subject.runs.push_back(row.record.id);
        // The baseline of the view comes first: the others are compared with it.
        if (const auto base = std::find(subject.runs.begin(), subject.runs.end(), view->baseline);
            base != subject.runs.end())
            std::rotate(subject.runs.begin(), base, base + 1);
        if (subject.runs.empty()) return fail("no_runs", "No run matches this filter."_text, "--filter");
        return subject;
    }

    std::vector<std::string> m_what, m_filters;
    std::string m_view, m_format, m_output;
    ReportHead m_head;
};

}  // namespace

std::unique_ptr<Command> makeReportCommand() {
    return std::make_unique<ReportCommand>();
}

}  // namespace slipway
