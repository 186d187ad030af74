#include "core/store/run_view.h"

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/own_file.h"
#include "core/base/untrusted_text.h"
#include "core/store/run_fields.h"
#include "core/store/run_filter.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace slipway {

constexpr auto enumNames(RunScope) {
    return std::array{EnumName<RunScope>{RunScope::Active, "active"},
                      EnumName<RunScope>{RunScope::Archived, "archived"}, EnumName<RunScope>{RunScope::Trash, "trash"},
                      EnumName<RunScope>{RunScope::All, "all"}};
}
namespace {

struct RangeFile : ViewRange {
    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(::slipway::field("field"), s.field);
        v(::slipway::field("values"), s.values);
        v(::slipway::field("low"), s.low);
        v(::slipway::field("high"), s.high);
        v(::slipway::field("failed"), s.failed);
    }
};

/// The charts of the document.
struct ChartsFile : ViewCharts {
    std::vector<RangeFile> rangeFiles;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("field"), s.x);
        v(field("colour"), s.colour);
        v(field("divide_by"), s.divideBy);
        v(field("values"), s.values);
        v(field("kind"), s.kind);
        v(field("mfu_rule"), s.mfuRule);
        v(field("log_x"), s.logX);
        v(field("log_y"), s.logY);
        v(field("figure"), s.figure);
        v(field("rows"), s.rows);
        v(field("columns"), s.columns);
        v(field("picture"), s.picture);
        v(field("axes"), s.axes);
        v(field("ranges"), s.rangeFiles);
    }
};

ChartsFile chartsFile(const ViewCharts& charts) {
    ChartsFile out{charts, {}};
    for (const ViewRange& range : charts.ranges) out.rangeFiles.push_back(RangeFile{range});
    return out;
}

ViewCharts chartsOf(const ChartsFile& file) {
    ViewCharts out = file;
    out.ranges.assign(file.rangeFiles.begin(), file.rangeFiles.end());
    return out;
}

/// The document of a view.
struct ViewFile {
    std::string name, filter;
    std::vector<std::string> columns, sort;
    RunScope scope = RunScope::Active;
    std::string groupBy, baseline;
    std::optional<ChartsFile> charts;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("name"), s.name);
        v(field("filter"), s.filter);
        v(field("columns"), s.columns);
        v(field("sort"), s.sort);
        v(field("scope"), s.scope);
        v(field("group_by"), s.groupBy);
        v(field("baseline"), s.baseline);
        v(field("charts"), s.charts);
    }
};

/// Letters, digits, '-', '_' and non-ASCII characters stay; the rest becomes %XX, so that no name leaves the folder.
std::string fileNameOf(const std::string& name) {
    std::string out;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80 || std::isalnum(byte) != 0 || c == '-' || c == '_') {
            out += c;
            continue;
        }
        char code[4];
        std::snprintf(code, sizeof code, "%%%02X", byte);
        out += code;
    }
    return out + ".json";
}

std::filesystem::path folderOf(const Home& home) {
    return home.path / "views";
}

std::filesystem::path fileOf(const Home& home, const std::string& name) {
    return folderOf(home) / fileNameOf(name);
}

tl::unexpected<Error> badView(const std::string& name, const Message& why) {
    return fail("bad_view", "The view \"%1\" cannot be used: %2"_text(UntrustedText(name).plain(), why), name);
}

Result<void> check(const RunView& view) {
    if (const auto filter = parseRunFilter(view.filter); !filter) return badView(view.name, filter.error().message);
    std::vector<std::string> fields = view.columns;
    for (const SortKey& key : view.sort) fields.push_back(key.field);
    if (!view.groupBy.empty()) fields.push_back(view.groupBy);
    if (view.charts) {
        const ViewCharts& charts = *view.charts;
        for (const std::string& field :
             {charts.x, charts.colour, charts.divideBy, charts.figure, charts.rows, charts.columns})
            if (!field.empty()) fields.push_back(field);
        fields.insert(fields.end(), charts.axes.begin(), charts.axes.end());
        for (const ViewRange& range : charts.ranges) fields.push_back(range.field);
    }
    for (const std::string& field : fields)
        if (findRunField(field) == nullptr)
            return badView(view.name,
                           "Unknown field %1%2"_text(UntrustedText(field).plain(), didYouMean(nearestRunField(field))));
    return {};
}

tl::unexpected<Error> missing(const Home& home, const std::string& name) {
    const std::string shown = UntrustedText(name).plain();
    std::vector<Message> known;
    for (const std::string& view : viewNames(home)) known.push_back(Message::name(UntrustedText(view).plain()));
    return known.empty()
               ? fail("view_missing", "Unknown view \"%1\"; `slipway runs --save-view` makes one."_text(shown))
               : fail("view_missing", "Unknown view \"%1\"; the saved ones are %2."_text(shown, listOf(known)));
}

}  // namespace

const std::vector<std::string>& usualColumns() {
    static const std::vector<std::string> all{"name",
                                              "world_size",
                                              "dp",
                                              "tp",
                                              "pp",
                                              "zero_stage",
                                              "micro_batch_size",
                                              "num_micro_batches",
                                              kKeyField,
                                              "mfu",
                                              "memory_peak_bytes",
                                              "bubble_fraction",
                                              "final_loss",
                                              "created",
                                              "status"};
    return all;
}

SortKey sortKeyFrom(const std::string& text) {
    const bool descending = text.ends_with(":desc");
    return {descending ? text.substr(0, text.size() - 5) : text, descending};
}

std::string sortText(const SortKey& key) {
    return key.field + (key.descending ? ":desc" : "");
}

std::vector<std::string> viewNames(const Home& home) {
    std::vector<std::string> names;
    std::error_code code;
    for (std::filesystem::directory_iterator it(folderOf(home), code), end; !code && it != end; it.increment(code)) {
        const auto json = readOwnJson(it->path());
        if (!json || !json->is_object()) continue;
        const auto name = json->find("name");
        if (name != json->end() && name->is_string() && it->path().filename() == fileNameOf(name->get<std::string>()))
            names.push_back(name->get<std::string>());
    }
    std::sort(names.begin(), names.end());
    return names;
}

Result<RunView> readView(const Home& home, const std::string& name) {
    const auto json = readOwnJson(fileOf(home, name));
    if (!json) return json.error().code == "file_missing" ? missing(home, name) : fail(json.error());
    Issues issues;
    const auto file = fields::fromJson<ViewFile>(*json, issues);
    if (!issues.empty()) return badView(name, issues.front().sentence());
    RunView view{name, file.filter, file.columns, {}, file.scope, file.groupBy, RunId(file.baseline), {}};
    if (file.charts) view.charts = chartsOf(*file.charts);
    for (const std::string& key : file.sort) view.sort.push_back(sortKeyFrom(key));
    if (auto good = check(view); !good) return fail(good.error());
    return view;
}

Result<void> saveView(const Home& home, const RunView& view) {
    if (view.name.empty()) return fail("bad_name", "A view needs a name."_text, "name");
    if (auto good = checkName(view.name, "name"); !good) return good;
    if (auto good = check(view); !good) return good;
    ViewFile file{view.name, view.filter, view.columns, {}, view.scope, view.groupBy, view.baseline.value, {}};
    for (const SortKey& key : view.sort) file.sort.push_back(sortText(key));
    if (view.charts) file.charts = chartsFile(*view.charts);
    if (auto made = makeFolders(folderOf(home)); !made) return made;
    return writeJsonFile(fileOf(home, view.name), fields::toJson(file));
}

Result<void> removeView(const Home& home, const std::string& name) {
    std::error_code code;
    if (std::filesystem::remove(fileOf(home, name), code)) return {};
    if (code) return fail("file_unwritable", "The file could not be deleted: %1."_text(code.message()), name);
    return missing(home, name);
}

}  // namespace slipway
