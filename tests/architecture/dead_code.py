#!/usr/bin/env python3
"""dead_code.py ROOT [WAITING]: public functions that the programs never call.

Takes the functions that headers of core and app/gui declare (free functions, methods, signals) and looks for their names in
core, app and trainer. A function is alive if code outside its own body names it and that code is alive itself: tests do not
count, `emit` does not either. Names are compared, not overloads, so a dead function with a common name can hide; what is printed is dead.
A function of the window whose comment begins with "For tests" is left alone: it reads what a widget shows.
WAITING lists functions that only tests call until a page shows them, "name  page" a line; a line that is no longer needed is a finding too.
"""
import re
import sys
from collections import defaultdict, namedtuple
from itertools import takewhile
from pathlib import Path

TOKEN = re.compile(
    r'(?P<skip>//[^\n]*|/\*.*?\*/|R"(?P<tag>\w*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|\b[0-9][\w.\']*|\'(?:\\.|[^\'\\\n])+\')'
    r'|(?P<line>^[ \t]*#(?:\\\n|[^\n])*)|(?P<name>[A-Za-z_]\w*)|(?P<mark>::|->|&&|\|\||==|[{}()<>\[\];:,=&*.!?+|-])',
    re.S | re.M)
# Words before a name and "(" that make it a call; `emit` is not among them, for raising a signal is not hearing it.
NO_TYPE = set('return co_return co_yield else new delete throw case goto and or not if while for switch sizeof using typename '
              'template operator explicit decltype public private protected signals slots'.split())
NO_CALL = set('if for while switch return sizeof alignof decltype catch noexcept static_assert requires operator defined explicit '
              'alignas co_return throw new delete'.split())


Token = namedtuple('Token', 'text name at')  # name: it is a word


def tokens_of(text):
    found = []
    for match in TOKEN.finditer(text):
        if match['name'] or match['mark']:
            found.append(Token(match[0], bool(match['name']), match.start()))
        elif match['line'] and re.match(r'\s*#\s*define\b', match[0]):
            # A macro's body calls what it names; its braces need not match.
            found += [Token(name, True, match.start()) for name in re.findall(r'[A-Za-z_]\w*', match[0])[2:]]
            found.append(Token(';', False, match.end()))
        elif match['skip'] and match[0][0] == '"':
            found.append(Token('""', False, match.start()))
    return found


def is_declared(tokens, i, text):
    """Token i, a name before "(", is declared or defined here: a type precedes it and what qualifies it."""
    j = i - 1
    while j > 0 and tokens[j].text == '::':
        j -= 1  # Class of Class::name
        if tokens[j].text == '>':
            while j > 0 and tokens[j].text != '<':
                j -= 1
            j -= 1
        j -= 1
    if j < 0:
        return False
    before = tokens[j]
    if before.name:
        return before.text not in NO_TYPE
    if before.text in ('>', '*', '&', '&&'):  # Result<int> name(, int* name(; an operator has a space before it
        return not text[before.at - 1].isspace()
    return False


def is_probe(lines, at):
    """The comment above line `at` says "For tests": what widgets show cannot be read through pages."""
    while at > 0 and lines[at - 1].lstrip().startswith('///'):
        at -= 1
        if lines[at].lstrip().startswith('/// For tests'):
            return True
    return False


class Reader:
    """Declared functions and the names that code uses, with the function whose body uses them."""

    def __init__(self):
        self.declared = {}  # name -> first place
        self.uses = defaultdict(set)  # name -> enclosing functions, "" where there is none

    def read(self, path, shown, collects):
        text = path.read_text(encoding='utf-8', errors='replace')
        tokens = tokens_of(text)
        scopes = [('names', '', 0)]  # kind, name of the function, parentheses open outside
        begin, depth = 0, 0  # of the statement; of its parentheses
        head = ''  # the function that this statement declares
        for i, token in enumerate(tokens):
            kind, inside, _ = scopes[-1]
            t = token.text
            if t in '([':
                depth += 1
            elif t in ')]':
                depth -= 1
            elif t == '{':
                words = {x.text for x in tokens[begin:i] if x.name}
                if inside or depth > 0 or head:
                    scopes.append(('body', inside or head, depth))
                else:
                    named = words & {'namespace', 'class', 'struct', 'union'}
                    scopes.append(('names' if named else 'body', '', depth))
                depth = 0
                begin, head = i + 1, ''
            elif t == '}':
                if len(scopes) > 1:
                    depth = scopes.pop()[2]
                if not depth:
                    begin, head = i + 1, ''
            elif t == ';' and depth == 0:
                begin, head = i + 1, ''
            if not token.name or t in NO_CALL:
                continue
            called = i + 1 < len(tokens) and tokens[i + 1].text == '('
            if called and is_declared(tokens, i, text):
                statement = {x.text for x in tokens[begin:i]}
                if kind == 'names' and depth == 0 and not head and '=' not in statement and 'using' not in statement:
                    head = t
                    tail = takewhile(lambda x: x.text not in (';', '{'), tokens[i:i + 100])
                    if collects and 'friend' not in statement and not any(x.text == 'override' for x in tail):
                        line = text.count('\n', 0, token.at) + 1
                        if not (shown.startswith('app/gui/') and is_probe(text.split('\n'), line - 1)):
                            self.declared.setdefault(t, f'{shown}:{line}')
                continue
            self.uses[t].add(inside or head)


def dead_functions(root):
    reader = Reader()
    for folder in ('core', 'app', 'trainer'):
        for path in sorted((root / folder).rglob('*')):
            if path.suffix in ('.h', '.cpp', '.cu', '.cuh'):
                shown = path.relative_to(root).as_posix()
                reader.read(path, shown, path.suffix == '.h' and shown.startswith(('core/', 'app/gui/')))
    alive, found = set(), True
    while found:
        found = {name for name in reader.declared.keys() - alive
                 if any(by != name and (by not in reader.declared or by in alive) for by in reader.uses[name])}
        alive |= found
    return {name: place for name, place in reader.declared.items() if name not in alive}


def main():
    root = Path(sys.argv[1])
    waiting = {}
    if len(sys.argv) > 2:
        for line in Path(sys.argv[2]).read_text(encoding='utf-8').splitlines():
            if line.strip() and not line.startswith('#'):
                name, _, page = line.partition(' ')
                waiting[name] = page.strip()
    dead = dead_functions(root)
    findings = [f'{place}: nothing in the programs calls {name}()' for name, place in dead.items() if name not in waiting]
    for name, page in waiting.items():
        if not page:
            findings.append(f'{sys.argv[2]}: {name} names no page')
        if name not in dead:
            findings.append(f'{sys.argv[2]}: {name} is called or gone; remove its line')
    for finding in sorted(findings):
        print(finding)
    print(f'{len(findings)} findings')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
