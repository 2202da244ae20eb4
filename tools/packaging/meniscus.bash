# Completion of the meniscus command for bash. Commands, options and topics are asked of the command itself.
_meniscus()
{
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]:-}
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" help 2>/dev/null | awk '/^  [a-z]/ { print $1 }')" -- "$word"))
    elif [ "$command" = help ]; then
        COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" help topics 2>/dev/null)" -- "$word"))
    elif [[ "$word" == -* ]]; then
        COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" help "$command" 2>/dev/null | grep -o -e '--[a-z-]*' | sort -u)" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _meniscus meniscus
