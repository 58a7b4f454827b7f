#compdef plugboard
# plugboard completion for zsh.   source <(plugboard completion zsh)
_plugboard() {
  local line value about
  local -a lines whole wholeShown open openShown
  lines=("${(@f)$(plugboard __complete "$((CURRENT - 1))" "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  if [[ $lines[1] == ':files' ]]; then
    _files
    return
  fi
  for line in $lines; do
    value="${line%%$'\t'*}"
    about="${line#*$'\t'}"
    [[ $about == $line || -z $about ]] && about="$value" || about="$value  -- $about"
    if [[ $value == *= ]]; then
      open+=("$value")
      openShown+=("$about")
    else
      whole+=("$value")
      wholeShown+=("$about")
    fi
  done
  (($#open)) && compadd -S '' -l -d openShown -a open
  (($#whole)) && compadd -l -d wholeShown -a whole
}
if [[ $funcstack[1] == _plugboard ]]; then
  _plugboard "$@"
else
  compdef _plugboard plugboard
fi
