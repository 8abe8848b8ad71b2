namespace Raceway.Lab.Tests.Lab.Cli;

public sealed class UsageTests
{
    [Theory]
    [InlineData("run", "--input", "--manifest", "--no-hash", "--quick", "--json", "--html")]
    [InlineData("compare", "--suite", "--case", "--quick", "--json", "--html")]
    [InlineData("sharing", "--case", "--quick", "--json", "--html")]
    [InlineData("tune", "--goal", "--budget", "--seed", "--json", "--html")]
    [InlineData("report", "--html", "--markdown", "--json", "--svg")]
    [InlineData("watch", "--pid", "--name", "--run", "--for", "--interval", "--once", "--json")]
    [InlineData("layout", "--assembly", "--writer", "--self", "--pair", "--json")]
    [InlineData("doctor", "--json", "--html")]
    public void Help_Command_ShowsOptionsExamplesAndExitCodes(string command, params string[] options)
    {
        CommandLine help = CommandLine.Run(command, "--help");

        Assert.Equal(0, help.ExitCode);
        Assert.All(options, option => Assert.Contains(option, help.Out, StringComparison.Ordinal));
        Assert.Contains($"Examples:{Environment.NewLine}  raceway {command}", help.Out, StringComparison.Ordinal);
        Assert.Contains("130 interrupted", help.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Help_Root_ListsTheCommands()
    {
        CommandLine help = CommandLine.Run("--help");

        Assert.Equal(0, help.ExitCode);
        Assert.All(["run", "compare", "sharing", "tune", "report", "watch", "layout", "doctor", "journal"], command => Assert.Contains(command, help.Out, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("raceway: a command is missing. The commands: run, compare, sharing, tune, report, doctor, watch, layout, journal.", new string[0])]
    [InlineData("raceway: there is no command 'rum'. The commands: run, compare,", new[] { "rum" })]
    [InlineData("raceway: there is no command '--json'. The commands: run,", new[] { "--json", "a.json" })]
    [InlineData("raceway: a command is missing. The commands: info, verify, dump,", new[] { "journal" })]
    [InlineData("'--bogus'", new[] { "run", "--bogus" })]
    [InlineData("'--json'", new[] { "run", "--json" })]
    [InlineData("--json takes the name of a file", new[] { "run", "--json", "" })]
    [InlineData("'--input'", new[] { "run", "--input" })]
    [InlineData("--capacity takes a power of two from 1024 to 1048576, but got '1000'", new[] { "run", "--capacity", "1000" })]
    [InlineData("--capacity takes a power of two from 1024 to 1048576, but got 'many'", new[] { "run", "--capacity", "many" })]
    [InlineData(
        "; there is no suite 'foo'",
        new[] { "compare", "--suite", "foo" })]
    [InlineData("--minutes takes a number above 0, up to 1440 (a day), but got 'many'", new[] { "compare", "--suite", "soak", "--minutes", "many" })]
    [InlineData("--minutes takes a number above 0, up to 1440 (a day), but got '1,5'", new[] { "compare", "--suite", "soak", "--minutes", "1,5" })]
    [InlineData("--line takes a power of two from 16 to 4096, but got 'wide'", new[] { "layout", "Guid", "--line", "wide" })]
    [InlineData("--at takes a multiple of 8 from 0 (objects begin nowhere else), but got '1.5'", new[] { "layout", "Guid", "--at", "1.5" })]
    [InlineData("--pid takes the number of a process, 1 or more, but got '99999999999'", new[] { "watch", "--pid", "99999999999" })]
    [InlineData("--rate takes lines a second, above 0 and up to 1000000000, but got 'fast'", new[] { "watch", "--run", "--rate", "fast" })]
    [InlineData("--rate takes a number of items a second from 100 to 100000000, but got 'fast'", new[] { "tune", "--rate", "fast" })]
    [InlineData("'--suite' is required", new[] { "compare" })]
    [InlineData("--case takes cases of suite 'sharing': counters/store, ", new[] { "sharing", "--case", "foo" })]
    [InlineData("--svg takes the name of a folder", new[] { "report", "a.json", "--svg", "" })]
    [InlineData("there is no 'foo'", new[] { "compare", "--suite", "ring", "--case", "1p-1c", "foo" })]
    public void Invoke_BadCommandLine_NamesTheFaultAndExitsWith2(string message, string[] args)
    {
        CommandLine wrong = CommandLine.Run(args);

        Assert.Equal(2, wrong.ExitCode);
        Assert.Contains(message, wrong.Error, StringComparison.Ordinal);
        Assert.Contains("--help", wrong.Error, StringComparison.Ordinal);
        Assert.Empty(wrong.Out);
    }

    [Theory]
    [InlineData("doctor")]
    [InlineData("sharing", "--case", "counters/locked")]
    [InlineData("compare", "--suite", "ring", "--case", "1p-1c")]
    public void Invoke_OneFileForTwoOutputs_ExitsWith2AndWritesNone(params string[] args)
    {
        using var folder = new TempFolder();
        string file = folder.File("out");

        CommandLine wrong = CommandLine.Run([.. args, "--json", file, "--html", file]);

        Assert.Equal(2, wrong.ExitCode);
        Assert.Contains($"'{file}' is given for two outputs", wrong.Error, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(folder.Path));
    }
}
