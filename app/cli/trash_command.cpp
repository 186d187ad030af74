// rm and restore: the trash of runs.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"

namespace slipway {
namespace {

class TrashCommand : public Command {
public:
    explicit TrashCommand(bool restores) : m_restores(restores) {}
    std::string name() const override { return m_restores ? "restore" : "rm"; }
    Message summary() const override {
        return m_restores ? "Take runs out of the trash"_text
                          : "Move runs to the trash; slipway restore brings them back"_text;
    }
    Examples examples() const override {
        if (!m_restores) return {{"slipway rm tp2 dp2"}, {"slipway restore tp2"}};
        return {{"slipway restore tp2"}, {"slipway runs deleted:true", "list the trash"_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("runs", m_runs, "Ids or names of runs"_text).required().shownAs("RUN");
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
        const auto done = m_restores ? store->restore(ids) : store->trash(ids, context.now());
        if (!done) return fail(done.error());
        Json list = Json::array();
        for (const RunId& id : ids) {
            list.push_back({{"run_id", id.value}, {"deleted", !m_restores}});
            if (!context.json)
                context.out << id.value << "  " << (m_restores ? "restored"_text : "in the trash"_text) << '\n';
        }
        if (context.json) context.out << dumpJson(list, true);
        return kExitDone;
    }

private:
    bool m_restores;
    std::vector<std::string> m_runs;
};

}  // namespace

std::unique_ptr<Command> makeRemoveCommand() {
    return std::make_unique<TrashCommand>(false);
}

std::unique_ptr<Command> makeRestoreCommand() {
    return std::make_unique<TrashCommand>(true);
}

}  // namespace slipway
