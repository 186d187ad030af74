// RunStore: marks that people set on runs. Each change is written to meta.json first.
#include "core/base/untrusted_text.h"
#include "core/store/store_impl.h"

#include <algorithm>

namespace slipway {

using store::guarded;
using store::Query;
using store::WriteTransaction;

Result<void> RunStore::rename(const RunId& id, const std::string& name) {
    return m_impl->change(id, [&](RunRecord& record) -> Result<void> {
        record.name = name;
        return checkName(name, "name");
    });
}

Result<void> RunStore::setNotes(const RunId& id, const std::string& notes) {
    return m_impl->change(id, [&](RunRecord& record) -> Result<void> {
        record.notes = notes;
        return checkText(notes, "notes");
    });
}

Result<void> RunStore::changeTags(const std::vector<RunId>& ids, const std::vector<std::string>& add,
                                  const std::vector<std::string>& remove) {
    const std::vector<std::string> gone = store::cleanTags(remove);
    return m_impl->changeAll(ids, [&](RunRecord& record) -> Result<void> {
        std::erase_if(record.tags,
                      [&](const std::string& tag) { return std::binary_search(gone.begin(), gone.end(), tag); });
        record.tags.insert(record.tags.end(), add.begin(), add.end());
        record.tags = store::cleanTags(record.tags);
        return checkNames(add, "tag");
    });
}

Result<void> RunStore::setArchived(const std::vector<RunId>& ids, bool archived) {
    return m_impl->changeAll(ids, [&](RunRecord& record) -> Result<void> {
        record.archived = archived;
        return {};
    });
}

Result<void> RunStore::setLocked(const std::vector<RunId>& ids, bool locked) {
    return m_impl->changeAll(ids, [&](RunRecord& record) -> Result<void> {
        record.locked = locked;
        return {};
    });
}

Result<void> RunStore::trash(const std::vector<RunId>& ids, std::int64_t nowUnixMilliseconds) {
    return m_impl->changeAll(ids, [&](RunRecord& record) -> Result<void> {
        if (record.locked)
            return fail("run_locked",
                        "\"%1\" is locked; unlock it before deleting it."_text(UntrustedText(record.name).plain()),
                        record.id.value);
        if (record.status == RunStatus::Running || record.status == RunStatus::Queued)
            return fail("run_running",
                        "\"%1\" is still running; stop it before deleting it."_text(UntrustedText(record.name).plain()),
                        record.id.value);
        if (!record.deletedUnixMilliseconds) record.deletedUnixMilliseconds = nowUnixMilliseconds;
        return {};
    });
}

Result<void> RunStore::restore(const std::vector<RunId>& ids) {
    return m_impl->changeAll(ids, [&](RunRecord& record) -> Result<void> {
        record.deletedUnixMilliseconds.reset();
        return {};
    });
}

Result<std::vector<RunId>> RunStore::emptyTrash(std::int64_t olderThanUnixMilliseconds) {
    return guarded(m_impl->db, [&]() -> Result<std::vector<RunId>> {
        WriteTransaction transaction(m_impl->db);
        std::vector<RunId> gone;
        {
            Query query = m_impl->db.query(
                "SELECT run_id FROM runs WHERE deleted_unix_ms IS NOT NULL AND deleted_unix_ms < ? AND locked = 0");
            query.bind(1, olderThanUnixMilliseconds);
            while (query.next()) gone.emplace_back(query.text(0));
        }
        for (const RunId& id : gone) {
            const auto folder = m_impl->home.run(id);
            if (!folder) return fail(folder.error());
            std::error_code code;
            std::filesystem::remove_all(folder->path, code);
            if (code)
                return fail("file_unwritable", "The run folder could not be deleted: %1."_text(code.message()),
                            folder->path.string());
            m_impl->db.query("DELETE FROM runs WHERE run_id = ?").bind(1, id.value).run();
            store::noteListChange(m_impl->db);
        }
        transaction.commit();
        return gone;
    });
}

}  // namespace slipway
