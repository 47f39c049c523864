# SPDX-License-Identifier: BSD-3-Clause
# Completions for fish; see completion/bash/pagoda for what the command answers.
function __pagoda_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l name (string replace -r -- '^--[^=]*=' '' "$current")
    for line in ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$name"
            case :dirs
                __fish_complete_directories "$name"
            case :commands
                __fish_complete_subcommand
            case '*'
                echo $line
        end
    end
end
complete -c pagoda -f -a '(__pagoda_complete)'
