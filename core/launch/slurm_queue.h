// SlurmQueue: what the launchers of one program share in Slurm: one squeue for the jobs of all, and arrays, whose elements are submitted
// together. An array is identified by its name, an element by the name and its index; numbers of Slurm are reused.
//   queue->open(name, limit);   ...launchers start runs as queue->nextJob()...   queue->submit();
#pragma once

#include "core/launch/slurm_door.h"
#include "core/launch/slurm_script.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

class SlurmQueue {
public:
    /// @param folder of scripts and logs of arrays; made when needed. Behind a login node they are in the folder of the first run.
    /// @param login name of that node
    SlurmQueue(std::unique_ptr<SlurmDoor> door, std::filesystem::path folder, std::string login = {})
        : m_door(std::move(door)), m_folder(std::move(folder)), m_login(std::move(login)) {}

    [[nodiscard]] const std::string& login() const { return m_login; }

    /// Begins an array: runs that are started from now on become its elements. @param limit elements that run at the same time
    void open(const std::string& name, std::int64_t limit);
    [[nodiscard]] bool isOpen() const { return m_array && m_array->stage == Stage::Open; }
    [[nodiscard]] bool isFull() const { return isOpen() && m_array->elements.size() >= m_most; }
    /// A run with this slurmShape() can join the open array.
    [[nodiscard]] bool fits(const std::vector<std::string>& shape) const;
    /// The job of the run that is started next; "" while no array is open.
    [[nodiscard]] std::string nextJob() const;
    /// Adds it. The command is answered when the array has been submitted, or was not: kNotSubmitted. An element without a folder
    /// keeps its index, and the array waits for it: complete() or leave().
    std::uint64_t add(SlurmElement element, const std::vector<std::string>& shape);
    void complete(std::uint64_t command, SlurmElement element);
    /// Its command has no answer; without a folder, nothing starts at its index.
    void leave(std::uint64_t command);
    /// Elements of the open array without a folder.
    [[nodiscard]] std::size_t numAwaited() const;
    /// Submits the open array; without elements it closes it.
    void submit();
    /// Closes the open array, and answers its elements that they were not submitted.
    void drop();

    // For SlurmSeat.
    std::uint64_t run(const std::vector<std::string>& arguments);
    std::uint64_t askFor(const std::string& job, bool isHistory);
    std::uint64_t cancel(const SlurmJob& job, bool isPendingOnly);
    std::uint64_t write(const std::filesystem::path& folder, const std::string& run, const std::string& name,
                        const std::string& text);
    void poll(double nowSeconds);
    std::optional<SlurmAnswer> take(std::uint64_t command);
    [[nodiscard]] std::vector<int> newsFds() const { return m_door->newsFds(); }

    static constexpr std::string_view kNotSubmitted = "not_submitted";
    static constexpr std::size_t kMostElements = 1000;  ///< Slurm's own MaxArraySize is 1001

private:
    enum class Stage { Open, Ready, Writing, Submitting, Lost, Looking };
    struct Array {
        std::string name;
        std::int64_t limit = 1;
        Stage stage = Stage::Open;
        std::vector<std::string> shape;
        std::vector<SlurmElement> elements;
        std::vector<std::uint64_t> commands;  // 0: left
        double retryAt = 0, deadlineSeconds = -1;
    };
    struct Look {
        std::uint64_t command = 0;
        std::string job;
    };
    struct Looks {
        std::vector<Look> waiting, asked;
        std::optional<std::uint64_t> running;
        double nextAt = 0;
    };

    void sendLook(bool isHistory);
    void takeLook(Looks& looks, const SlurmAnswer& answer, bool isHistory);
    void pollArray();
    void takeSubmitted(const SlurmAnswer& answer);
    [[nodiscard]] const SlurmElement* firstOfArray() const;
    void endArray(const SlurmAnswer& answer);

    std::unique_ptr<SlurmDoor> m_door;
    std::filesystem::path m_folder;
    std::string m_login;
    std::uint64_t m_last = 0;
    double m_now = -1;
    std::map<std::uint64_t, SlurmAnswer> m_ready;
    std::map<std::uint64_t, std::vector<std::uint64_t>> m_running;                        // by the door's command
    std::array<Looks, 2> m_looks;                                                         // squeue, sacct
    std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> m_cancels;  // waiting elements, by array
    std::map<std::string, std::size_t> m_numWaiting;  // by array, in the newest look
    std::optional<Array> m_array;
    std::optional<std::uint64_t> m_writing, m_submitting, m_arrayLook;
    std::size_t m_most = kMostElements;  // less where the cluster has refused so many
};

/// The place of one launcher in it.
class SlurmSeat : public SlurmDoor {
public:
    explicit SlurmSeat(std::shared_ptr<SlurmQueue> queue) : m_queue(std::move(queue)) {}
    ~SlurmSeat() override {
        for (const std::uint64_t command : m_commands) m_queue->leave(command);
    }
    SlurmSeat(const SlurmSeat&) = delete;
    SlurmSeat& operator=(const SlurmSeat&) = delete;

    std::uint64_t run(const std::vector<std::string>& arguments) override { return keep(m_queue->run(arguments)); }
    std::uint64_t askFor(const std::string& job, bool isHistory) override {
        return keep(m_queue->askFor(job, isHistory));
    }
    std::uint64_t cancel(const SlurmJob& job, bool isPendingOnly) override {
        return keep(m_queue->cancel(job, isPendingOnly));
    }
    std::uint64_t add(SlurmElement element, const std::vector<std::string>& shape) {
        return keep(m_queue->add(std::move(element), shape));
    }
    void complete(std::uint64_t command, SlurmElement element) { m_queue->complete(command, std::move(element)); }
    void leave(std::uint64_t command) {
        m_queue->leave(command);
        m_commands.erase(command);
    }
    std::uint64_t write(const std::filesystem::path& folder, const std::string& run, const std::string& name,
                        const std::string& text) override {
        return keep(m_queue->write(folder, run, name, text));
    }
    std::vector<SlurmAnswer> poll(double nowSeconds) override;
    [[nodiscard]] std::vector<int> newsFds() const override { return m_queue->newsFds(); }

private:
    std::uint64_t keep(std::uint64_t command) { return *m_commands.insert(command).first; }

    std::shared_ptr<SlurmQueue> m_queue;
    std::set<std::uint64_t> m_commands;
};

}  // namespace slipway
