# bash completion for assay: commands and options as the program itself lists them.
_assay() {
    local word=${COMP_WORDS[COMP_CWORD]} i
    for ((i = 1; i < COMP_CWORD; ++i)); do
        # What follows -- is another program's command line.
        [ "${COMP_WORDS[i]}" != -- ] || { compopt -o default; COMPREPLY=(); return; }
    done
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(assay --help | awk '/^  [a-z]+ / && !/assay/ { print $1 }') --help --version" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(assay "${COMP_WORDS[1]}" --help | grep -oE -- '--[a-z-]+' | sort -u)" -- "$word")
    else
        compopt -o default
        COMPREPLY=()
    fi
}
complete -F _assay assay
