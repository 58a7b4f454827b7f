# plugboard completion for PowerShell.   plugboard completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName plugboard -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements |
        Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object { $_.ToString() })
    $count = $words.Count
    if ($wordToComplete -eq '') { $count++ }
    plugboard __complete $count @words 2>$null | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if ($value -ne ':files') {
            if (-not $about) { $about = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
        }
    }
}
