// completion: shell scripts, generated from the commands themselves.
#include "app/cli/commands.h"
#include "core/planner/presets.h"
#include "core/planner/search/search_space.h"
#include "core/spec/run_config.h"

namespace slipway {
namespace {

struct CommandWords {
    std::string name, alias, summary;
    std::vector<std::string> options;
};

std::vector<CommandWords> allWords() {
    std::vector<CommandWords> words;
    for (const auto& command : allCommands()) {
        words.push_back({command->name(), command->alias(), textOf(command->summary()),
                         optionWords([&](Arguments& arguments) { command->declare(arguments); })});
        for (const char* global : {"--home", "--json", "--no-color"}) words.back().options.emplace_back(global);
    }
    return words;
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
    return out;
}

std::string fieldWords() {
    std::string out;
    for (const FieldInfo& info : runConfigFields()) out += (out.empty() ? "" : " ") + info.path + "=";
    return out;
}

std::string axisWords() {
    std::string out;
    for (const auto& axis : enumNames(SearchAxis{})) out += (out.empty() ? "" : " ") + std::string(axis.word) + "=";
    return out;
}

std::string modelWords() {
    std::string out;
    for (const ModelPreset& preset : modelPresets()) out += (out.empty() ? "" : " ") + preset.id;
    return out;
}

const char* const kGlobal = "--batch --jobs --again --home --json --no-color --help --version";

std::string bashScript() {
    std::string names;
    std::string cases;
    for (const CommandWords& command : allWords()) {
        names += command.name + " " + (command.alias.empty() ? "" : command.alias + " ");
        cases += "        " + command.name + (command.alias.empty() ? "" : "|" + command.alias) + ") words='" +
                 joined(command.options) + "' ;;\n";
    }
    return "# slipway completion bash > ~/.local/share/bash-completion/completions/slipway\n"
           "_slipway() {\n    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= words= i\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n        [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }\n    done\n"
           "    case $previous in\n        --set) compopt -o nospace; COMPREPLY=($(compgen -W '" +
           fieldWords() +
           "' -- \"$word\")); return ;;\n"
           "        --fix) compopt -o nospace; COMPREPLY=($(compgen -W '" +
           axisWords() +
           "' -- \"$word\")); return ;;\n"
           "        --model) COMPREPLY=($(compgen -W '" +
           modelWords() +
           "' -- \"$word\") $(compgen -f -- \"$word\")); return ;;\n"
           "        --objective) COMPREPLY=($(compgen -W 'speed memory cost' -- \"$word\")); return ;;\n"
           "        --format) COMPREPLY=($(compgen -W 'html md csv' -- \"$word\")); return ;;\n"
           "        --home) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n    esac\n"
           "    case $command in\n        '') words='" +
           names + kGlobal + "' ;;\n" + cases +
           "    esac\n"
           "    [[ $command == completion && $word != -* ]] && words='bash zsh fish'\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "    [[ ${#COMPREPLY[@]} -gt 0 || $word == -* ]] || COMPREPLY=($(compgen -f -- \"$word\"))\n}\n"
           "complete -o filenames -F _slipway slipway\n";
}

std::string zshScript() {
    std::string names;
    std::string cases;
    for (const CommandWords& command : allWords()) {
        for (const std::string& name : {command.name, command.alias})
            if (!name.empty()) names += "        '" + name + ":" + command.summary + "'\n";
        cases += "        " + command.name + (command.alias.empty() ? "" : "|" + command.alias) + ") compadd -- " +
                 joined(command.options) + (command.name == "completion" ? " bash zsh fish" : "") + "; _files ;;\n";
    }
    return "#compdef slipway\n# slipway completion zsh > \"${fpath[1]}/_slipway\"\n_slipway() {\n    local -a commands\n    commands=(\n" +
           names + "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        compadd -- " +
           kGlobal + "\n        return\n    fi\n    case $words[2] in\n" + cases +
           "        *) _files ;;\n    esac\n}\n_slipway \"$@\"\n";
}

std::string fishScript() {
    std::string out =
        "# slipway completion fish > ~/.config/fish/completions/slipway.fish\ncomplete -c slipway -n __fish_use_subcommand -l batch -r -d 'Run a sweep'\n"
        "complete -c slipway -n __fish_use_subcommand -l jobs -x -d 'Trials at the same time'\ncomplete -c slipway -n __fish_use_subcommand -l again -d 'Start the sweep over'\n"
        "complete -c slipway -l home -x -a '(__fish_complete_directories)' -d 'Folder of runs and index'\ncomplete -c slipway -l json -d 'One JSON document'\n"
        "complete -c slipway -l no-color -d 'No colours'\n";
    for (const CommandWords& command : allWords()) {
        const std::string both = command.name + (command.alias.empty() ? "" : " " + command.alias);
        out += "complete -c slipway -n __fish_use_subcommand -a '" + both + "' -d '" + command.summary + "'\n";
        for (const std::string& option : command.options)
            if (option.starts_with("--") && option != "--home" && option != "--json" && option != "--no-color")
                out +=
                    "complete -c slipway -n '__fish_seen_subcommand_from " + both + "' -l " + option.substr(2) + "\n";
    }
    return out + "complete -c slipway -n '__fish_seen_subcommand_from completion' -x -a 'bash zsh fish'\n";
}

class CompletionCommand : public Command {
public:
    std::string name() const override { return "completion"; }
    Message summary() const override { return "Print the completion script of a shell"_text; }
    Examples examples() const override {
        return {{"slipway completion bash > ~/.local/share/bash-completion/completions/slipway"},
                {"slipway completion zsh > \"${fpath[1]}/_slipway\""},
                {"slipway completion fish > ~/.config/fish/completions/slipway.fish"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("shell", m_shell, "bash, zsh or fish"_text).required().oneOf({"bash", "zsh", "fish"});
    }
    bool hasJson() const override { return false; }
    Result<int> run(CliContext& context) override {
        context.out << (m_shell == "bash" ? bashScript() : m_shell == "zsh" ? zshScript() : fishScript());
        return kExitDone;
    }

private:
    std::string m_shell;
};

}  // namespace

std::unique_ptr<Command> makeCompletionCommand() {
    return std::make_unique<CompletionCommand>();
}

}  // namespace slipway
