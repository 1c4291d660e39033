/** Completion scripts; each calls `svc __complete` with the words so far, the last one being incomplete. */
export const scripts: Readonly<Record<string, string>> = {
  bash: `# svc completion for bash: add to ~/.bashrc:  source <(svc completion bash)
_svc_complete() {
  local IFS=$' \\t\\n' line=\${COMP_LINE:0:COMP_POINT}
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:blank:]] ]] && words+=('')
  # Readline breaks words at colons and equals signs: what is before its own word is not to be written again.
  local own=\${COMP_WORDS[COMP_CWORD]} whole=\${words[\${#words[@]}-1]}
  [[ $own == [:=] ]] && own=''
  local before=\${whole%"$own"} found
  IFS=$'\\n'
  COMPREPLY=()
  for found in $(svc __complete -- "\${words[@]:1}" 2>/dev/null | cut -f1); do COMPREPLY+=("\${found#"$before"}"); done
  [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _svc_complete svc
`,
  zsh: `#compdef svc
# svc completion for zsh: add to ~/.zshrc, after compinit:  source <(svc completion zsh)
_svc_complete() {
  local -a found shown
  local line
  while IFS= read -r line; do
    found+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done < <(svc __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ! $#found )); then
    _files
  elif [[ $#found == 1 && $found[1] == *= ]]; then
    compadd -S '' -a found
  elif [[ "$shown" == *'  -- '* ]]; then
    compadd -l -d shown -a found
  else
    compadd -a found
  fi
}
if (( $+functions[compdef] )); then compdef _svc_complete svc; fi
`,
  fish: `# svc completion for fish: save as ~/.config/fish/completions/svc.fish
function __svc_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (svc __complete -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c svc -f -a '(__svc_complete)'
`,
  powershell: `# svc completion for PowerShell: add to $PROFILE:  svc completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '' }
  svc __complete '--' @words 2>$null | ForEach-Object {
    $name, $help = $_ -split "\`t", 2
    if (-not $help) { $help = $name }
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $help)
  }
}
`,
};
