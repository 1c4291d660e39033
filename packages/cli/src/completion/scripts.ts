/** Completion scripts; each asks `svc __complete` with the words so far, the last one being written. */
export const scripts: Readonly<Record<string, string>> = {
  bash: `# svc completion for bash: add to ~/.bashrc:  source <(svc completion bash)
_svc_complete() {
  local IFS=$'\\n'
  COMPREPLY=($(svc __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _svc_complete svc
`,
  zsh: `#compdef svc
# svc completion for zsh: add to ~/.zshrc:  source <(svc completion zsh)
_svc_complete() {
  local -a found
  local line
  while IFS= read -r line; do
    found+=("\${line%%$'\\t'*}")
  done < <(svc __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  compadd -a found
}
if (( $+functions[compdef] )); then compdef _svc_complete svc; fi
`,
  fish: `# svc completion for fish: save as ~/.config/fish/completions/svc.fish
function __svc_complete
  set -l words (commandline -opc) (commandline -ct)
  svc __complete -- $words[2..-1] 2>/dev/null
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
