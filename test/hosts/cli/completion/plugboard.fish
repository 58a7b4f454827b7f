# plugboard completion for fish.   plugboard completion fish | source
function __plugboard_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (plugboard __complete (math (count $words) - 1) $words 2>/dev/null)
    if test "$found[1]" = ':files'
        __fish_complete_path (commandline -ct)
    else if set -q found[1]
        printf '%s\n' $found
    end
end
complete -c plugboard -f -a '(__plugboard_complete)'
