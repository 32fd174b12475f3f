#!/usr/bin/env bash
# studio_pages.sh TESSERA-STUDIO FOLDER: the studio's man page and its completions, made of what its --help prints.
set -eu
studio=$1
folder=$2
mkdir -p "$folder"
help=$(QT_QPA_PLATFORM=offscreen "$studio" --help)
# NAMES, VALUE and TEXT of each option, with a separator that no text has; continued lines are joined.
options=$(awk '
  /^Options:/ { on = 1; next }
  /^Arguments:/ { on = 0 }
  on && /^  -/ { if (row) print row; line = substr($0, 3); i = match(line, /   *[^ ]/)
    names = i ? substr(line, 1, i - 1) : line; text = i ? substr(line, i) : ""; sub(/^ */, "", text)
    value = ""; if (match(names, /<[^>]*>/)) { value = substr(names, RSTART + 1, RLENGTH - 2); sub(/ *<[^>]*>/, "", names) }
    row = names "\x1f" value "\x1f" text; next }
  on && /^ +[^ ]/ { text = $0; sub(/^ +/, " ", text); row = row text }
  END { if (row) print row }' <<< "$help")
[ -n "$options" ] || { echo "studio_pages.sh: --help lists no options" >&2; exit 1; }
roff() { sed 's/\\/\\e/g; s/-/\\-/g'; }
{
  printf '.TH TESSERA-STUDIO 1 "" "tessera" "User Commands"\n.SH NAME\ntessera-studio \\- graphical IDE for XLA HLO graphs\n'
  printf '.SH SYNOPSIS\n.B tessera-studio\n[\\fIOPTIONS\\fR] [\\fIFILE\\fR]\n.SH DESCRIPTION\n'
  printf 'Opens HLO text, protobuf, StableHLO, a project or a Graphviz file; without FILE its start page.\n.SH OPTIONS\n'
  while IFS=$'\x1f' read -r names value text; do
    printf '.TP\n\\fB%s\\fR%s\n%s\n' "$(roff <<< "$names")" "${value:+ \\fI$(roff <<< "$value")\\fR}" "$(roff <<< "$text")"
  done <<< "$options"
  printf '.SH SEE ALSO\n.BR tessera (1)\n'
} > "$folder/tessera-studio.1"
names=$(cut -d $'\x1f' -f1 <<< "$options" | tr ',' '\n' | tr -d ' ' | tr '\n' ' ')
cat > "$folder/tessera-studio.bash" <<END
# bash completion for tessera-studio; made from its --help.
_tessera_studio() {
  [[ \${COMP_WORDS[COMP_CWORD]} == -* ]] && COMPREPLY=(\$(compgen -W '$names' -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tessera_studio tessera-studio
END
{
  printf '#compdef tessera-studio\n# zsh completion for tessera-studio; made from its --help.\n_arguments \\\n'
  for name in $names; do printf "  '%s' \\\\\n" "$name"; done
  printf "  '*:file:_files'\n"
} > "$folder/_tessera-studio"
{
  printf '# fish completion for tessera-studio; made from its --help.\n'
  for name in $names; do case $name in --*) printf 'complete -c tessera-studio -l %s\n' "${name#--}" ;; esac; done
} > "$folder/tessera-studio.fish"
