// tag and archive: marks that people set on runs.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"

namespace slipway {
namespace {

class TagCommand : public Command {
public:
    std::string name() const override { return "tag"; }
    Message summary() const override { return "Add and remove tags of a run, or set its notes"_text; }
    Examples examples() const override {
        return {{"slipway tag tp2 baseline good"},
                {"slipway tag tp2 --remove good"},
                {"slipway tag tp2 --notes 'second try, quiet machine'"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("run", m_run, kRunHelp).required().shownAs("RUN");
        arguments.option("tags", m_add, "Tags to add"_text).shownAs("TAG");
        arguments.option("--remove,-r", m_remove, "Tag to remove; may be repeated"_text).shownAs("TAG").oneEach();
        m_notesOption = arguments.option("--notes", m_notes, "Notes, in place of the old ones"_text).shownAs("TEXT");
    }
    Result<int> run(CliContext& context) override {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        const auto found = store->findRun(m_run);
        if (!found) return fail(found.error());
        if (!m_add.empty() || !m_remove.empty())
            if (auto changed = store->changeTags({found->id}, m_add, m_remove); !changed) return fail(changed.error());
        if (m_notesOption->given())
            if (auto noted = store->setNotes(found->id, m_notes); !noted) return fail(noted.error());
        const auto record = store->run(found->id);
        if (!record) return fail(record.error());
        if (context.json) {
            context.out << dumpJson(
                Json{{"run_id", record->id.value}, {"tags", record->tags}, {"notes", record->notes}}, true);
            return kExitDone;
        }
        context.out << record->id.value << ':';
        for (const std::string& tag : record->tags) context.out << ' ' << printable(tag);
        context.out << '\n';
        return kExitDone;
    }

private:
    std::string m_run, m_notes;
    std::vector<std::string> m_add, m_remove;
    std::optional<Argument> m_notesOption;
};

class ArchiveCommand : public Command {
public:
    std::string name() const override { return "archive"; }
    Message summary() const override { return "Hide runs from the list; nothing is deleted"_text; }
    Examples examples() const override {
        return {{"slipway archive tp2 dp2"}, {"slipway archive tp2 --undo"}, {"slipway runs archived:true"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("runs", m_runs, "Ids or names of runs"_text).required().shownAs("RUN");
        arguments.flag("--undo", m_undo, "Show them again"_text);
    }
    Result<int> run(CliContext& context) override {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        std::vector<RunId> ids;
        for (const std::string& name : m_runs) {
            const auto found = store->findRun(name);
            if (!found) return fail(found.error());
            ids.push_back(found->id);
        }
        if (auto archived = store->setArchived(ids, !m_undo); !archived) return fail(archived.error());
        Json list = Json::array();
        for (const RunId& id : ids) {
            list.push_back({{"run_id", id.value}, {"archived", !m_undo}});
            if (!context.json)
                context.out << id.value << "  " << (m_undo ? "shown again"_text : "archived"_text) << '\n';
        }
        if (context.json) context.out << dumpJson(list, true);
        return kExitDone;
    }

private:
    std::vector<std::string> m_runs;
    bool m_undo = false;
};

}  // namespace

std::unique_ptr<Command> makeTagCommand() {
    return std::make_unique<TagCommand>();
}

std::unique_ptr<Command> makeArchiveCommand() {
    return std::make_unique<ArchiveCommand>();
}

}  // namespace slipway
