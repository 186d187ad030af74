// YAML, TOML and command lines as JSON values and back: the syntaxes of the foreign formats.
#pragma once

#include "core/base/json.h"

#include <map>
#include <string>
#include <vector>

namespace slipway::interop {

/// One YAML document; plain scalars get the types of YAML's core schema. "yaml_syntax" with line and column; refused:
/// several documents, repeated keys, more than 64 levels, aliases that expand beyond 100,000 nodes.
Result<Json> parseYaml(const std::string& text, const std::string& where);
/// Block style; numbers as PyYAML reads them back (1.0e-05, not 1e-05, which it reads as text).
std::string dumpYaml(const Json& value);

/// "toml_syntax" with line and column; refused: more than 64 levels of tables, dotted keys and arrays. Dates become
/// text.
Result<Json> parseToml(const std::string& text, const std::string& where);
/// Tables with their scalars first; nulls, which TOML lacks, are omitted.
std::string dumpToml(const Json& value);

/// The words of one command of a shell script, variables and arrays expanded where the script sets them.
using Words = std::vector<std::string>;
struct ShellScript {
    std::vector<Words> commands;
    std::vector<Words> sbatch;  ///< words of each #SBATCH line
    std::map<std::string, Words> variables;
};
/// Reads a script without running anything: comments, quotes, continued lines, NAME=value, NAME=(a b), $NAME,
/// ${NAME:-x}, "${NAME[@]}". Unknown values ($1, $(date)) stay as written.
ShellScript readShell(const std::string& text);

/// "--seq-length 2048 --swiglu --window 128 0" as {"seq-length": "2048", "swiglu": true, "window": ["128", "0"]};
/// underscores in names become hyphens. Words before the first option are omitted.
Json optionsFrom(const Words& words);

}  // namespace slipway::interop
