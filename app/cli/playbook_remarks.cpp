#include "app/cli/playbook_remarks.h"

#include "app/cli/playbook_documents.h"
#include "app/cli/print.h"
#include "core/playbook/catalogue.h"

#include <nlohmann/json.hpp>

namespace slipway {

Result<int> remark(CliContext& context, const Playbook& playbook, const RemarkRequest& request) {
    const bool isNote = request.action == "note";
    const auto points = readPreflight(playbook.folder);
    if (!points) return fail(points.error());
    if (!request.id.empty()) {
        std::string subject = isNote ? request.id : "";
        for (const PreflightPoint& point : *points)
            if (!isNote && point.id == request.id) subject = point.subject();
        if (subject.empty())
            return fail("usage", "There is no point %1; slipway playbook tick lists them."_text(request.id), "ID");
        const std::string text = isNote ? request.note : request.isOff ? "" : "done";
        if (auto added = addRemark(context.home, {subject, text, context.now()}); !added) return fail(added.error());
    }
    const auto remarks = remarksOf(context.home);
    if (!remarks) return fail(remarks.error());
    Json list = Json::array();
    for (const PreflightPoint& point : *points)
        list.push_back(
            {{"id", point.id}, {"text", toJson(point.text)}, {"is_ticked", remarks->count(point.subject()) > 0}});
    Json notes = Json::object();
    for (const auto& [subject, text] : *remarks)
        if (!subject.starts_with("preflight/")) notes[subject] = text;
    if (context.json) {
        context.out << dumpJson(Json{{"preflight", list}, {"notes", notes}}, true);
        return kExitDone;
    }
    for (const PreflightPoint& point : *points)
        if (!isNote)
            context.out << (remarks->count(point.subject()) > 0 ? "[x] " : "[ ] ") << point.id << "  "
                        << printable(point.text.in(context.language)) << '\n';
    for (const auto& note : notes.items())
        if (isNote) context.out << printable(note.key()) << ": " << printable(note.value().get<std::string>()) << '\n';
    return kExitDone;
}

}  // namespace slipway
