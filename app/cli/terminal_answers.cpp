#include "app/cli/terminal_answers.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

namespace slipway {
namespace {

constexpr int kLookMilliseconds = 100;

/// A line from the terminal, without echo if `isHidden`; empty after Ctrl-C or at the end of the input.
std::optional<std::string> lineOf(const CliContext& context, bool isHidden) {
    termios before{};
    const bool isTerminal = ::tcgetattr(STDIN_FILENO, &before) == 0;
    if (isTerminal && isHidden) {
        termios quiet = before;
        quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }
    std::string line;
    bool isComplete = false;
    while (!isComplete && context.interrupts() == 0) {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        if (::poll(&input, 1, kLookMilliseconds) <= 0) continue;
        char byte = 0;
        if (::read(STDIN_FILENO, &byte, 1) != 1) break;
        isComplete = byte == '\n';
        if (!isComplete && line.size() < AskDoor::kLongestText) line.push_back(byte);
    }
    if (isTerminal && isHidden) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    if (!isComplete) return {};
    return line;
}

}  // namespace

Result<TerminalAnswers> TerminalAnswers::open(bool remember) {
    if (remember && keychainProgram().empty()) return fail(noKeychain());
    auto door = AskDoor::open();
    if (!door) return fail(door.error());
    return TerminalAnswers(std::move(*door), remember);
}

void TerminalAnswers::poll(CliContext& context, const NodeLink& link) {
    m_writer.poll(link.node().host, link.state() == NodeLink::State::Up);
    const auto question = m_door.poll();
    if (!question) return;
    if (question->kind == AskQuestion::Kind::Notice) {
        if (std::exchange(m_noticed, question->text) != question->text)
            context.err << printable(question->text) << std::endl;
        return;
    }
    const bool isSecret = question->kind == AskQuestion::Kind::Secret;
    context.err << printable(question->text) << std::flush;
    auto answer = lineOf(context, isSecret);
    if (isSecret) context.err << std::endl;
    if (!answer) return m_door.refuse();
    m_door.answer(*answer);
    if (isSecret && m_isRemembering) m_writer.hold(question->text, *answer);
    answer->assign(answer->size(), '\0');
}

Result<void> TerminalAnswers::finish(const Home& home, const NodeRecord& node) const {
    if (m_writer.error()) return fail(*m_writer.error());
    if (!m_writer.hasStored() || node.isInKeychain) return {};
    NodeRecord changed = node;
    changed.isInKeychain = true;
    return writeNode(home, changed, true);
}

}  // namespace slipway
