"""Small changes of C++ source that a test should notice: comparisons turned, constants off by one, calls dropped,
operands swapped. Works on tokens, so comments, strings, templates and preprocessor lines stay as they are.
Used by mutants.py."""
import re
from dataclasses import dataclass

TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)'
    r'|(?P<string>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\')'
    r'|(?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)'
    r"|(?P<number>\b(?:0[xX][0-9a-fA-F']+|[0-9][0-9']*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)[a-zA-Z]*)"
    r'|(?P<word>[A-Za-z_]\w*)'
    r'|(?P<operator><=>|<<=|>>=|->|::|\+\+|--|&&|\|\||[<>=!+\-*/%&|^]=|<<|>>|[^\w\s])',
    re.M | re.S)

SPACED = {  # operators with a space on both sides; templates, references and pointers have none
    '<': ('comparison', '<='), '<=': ('comparison', '<'), '>': ('comparison', '>='), '>=': ('comparison', '>'),
    '==': ('comparison', '!='), '!=': ('comparison', '=='), '&&': ('logic', '||'), '||': ('logic', '&&'),
    '+': ('arithmetic', '-'), '-': ('arithmetic', '+'), '*': ('arithmetic', '+'), '/': ('arithmetic', '*'),
    '%': ('arithmetic', '/'), '+=': ('arithmetic', '-='), '-=': ('arithmetic', '+='), '*=': ('arithmetic', '+='),
}
WORDS = {'true': ('truth', 'false'), 'false': ('truth', 'true'), 'min': ('extremum', 'max'), 'max': ('extremum', 'min'),
         'continue': ('jump', 'break')}
CALL = re.compile(r'^(?P<indent> +)(?!return\b|delete\b|throw\b|case\b|else\b|goto\b|co_)(?P<call>[A-Za-z_][\w.:]*'
                  r'(?:(?:->|\.|::)\w+)*\([^;]*\));[ \t]*$')


@dataclass(frozen=True)
class Mutant:
    file: str
    kind: str
    start: int
    end: int
    new: str
    line: int      # from 1
    before: str    # the line, without indentation
    after: str

    @property
    def key(self):  # outlives changes elsewhere in the file
        return f'{self.file} | {self.before} | {self.after}'


def tokens(text):
    return [(m.lastgroup if m.lastgroup != 'mark' else 'string', m.group(), m.start(), m.end())
            for m in TOKEN.finditer(text)]


def changes(text):
    """(kind, start, end, new) of every change."""
    all_tokens = tokens(text)
    code = [t for t in all_tokens if t[0] not in ('comment', 'directive')]
    lines_with_text = {text.count('\n', 0, t[2]) for t in all_tokens if t[0] == 'string'}
    for i, (group, token, start, end) in enumerate(code):
        previous, following = (code[i - 1] if i else None), (code[i + 1] if i + 1 < len(code) else None)
        spaced = start > 0 and text[start - 1] in ' \n' and text[end:end + 1] in (' ', '\n')
        line = text.count('\n', 0, start)
        if group == 'operator':
            if token in SPACED and spaced and previous and previous[1] not in ('operator', '=', '(', ',', 'return'):
                kind, new = SPACED[token]
                if kind != 'arithmetic' or line not in lines_with_text:  # texts are joined by +
                    yield kind, start, end, new
            if token == '!' and not spaced and following and (following[0] == 'word' or following[1] == '('):
                yield 'negation', start, end, ''
            if token in '-/%' and spaced and previous[0] == following[0] == 'word':
                after = code[i + 2][1] if i + 2 < len(code) else ''
                before = code[i - 2][1] if i > 1 else ''
                if after in (')', ';', ',', ']') and before in ('(', '=', ',', '[', 'return', '<', '>'):
                    yield 'swap', previous[2], following[3], f'{following[1]} {token} {previous[1]}'
        elif group == 'number' and re.fullmatch(r'[0-9]+', token):
            if previous and previous[1] in ('case', '[') and following and following[1] == ':':
                continue
            yield 'constant', start, end, str(int(token) + 1)
        elif group == 'word' and token in WORDS:
            kind, new = WORDS[token]
            if kind != 'extremum' or (previous and previous[1] == '::' and following and following[1] == '('):
                yield kind, start, end, new
        if (group == 'word' and following and following[1] == '(' and i + 5 < len(code) and
                code[i + 2][0] == 'word' and code[i + 3][1] == ',' and code[i + 4][0] == 'word' and
                code[i + 5][1] == ')' and code[i + 2][1] != code[i + 4][1] and
                previous and (previous[0] == 'operator' or previous[1] == 'return')):
            first, second = code[i + 2], code[i + 4]
            yield 'swap', first[2], second[3], f'{second[1]}, {first[1]}'
    position = 0
    for line in text.splitlines(keepends=True):
        match = CALL.match(line.rstrip('\n'))
        if match and match['call'].count('(') == match['call'].count(')') and '[&]' not in match['call']:
            yield 'call', position + len(match['indent']), position + len(match['indent']) + len(match['call']), ''
        position += len(line)


# Lines whose change no test of values can see: numbers chosen by measurement, reserved memory, hashes, texts of errors.
SKIPPED_LINES = re.compile(
    r'\bconstexpr\b|\breserve\(|static_assert|\bfail\(|fmt::format|Diagnostic|#|\btemplate\b|prefetch|\bmix\(|\bhash\b|Hash')


def mutants_of(file, text):
    out, seen = [], set()
    for kind, start, end, new in changes(text):
        begin = text.rfind('\n', 0, start) + 1
        stop = text.find('\n', end)
        stop = len(text) if stop < 0 else stop
        before = text[begin:stop]
        if SKIPPED_LINES.search(before):
            continue
        after = text[begin:start] + new + text[end:stop]
        mutant = Mutant(file, kind, start, end, new, text.count('\n', 0, start) + 1, ' '.join(before.split()),
                        ' '.join(after.split()))
        if mutant.key not in seen:
            seen.add(mutant.key)
            out.append(mutant)
    return out
