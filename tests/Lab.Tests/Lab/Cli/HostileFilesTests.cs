using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Cli;

/// <summary>Links, pipes, names that are no text, and streams that are closed or full.</summary>
public sealed class HostileFilesTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("--manifest", false)]
    [InlineData("--json", false)]
    [InlineData("--html", false)]
    [InlineData("--manifest", true)]
    public void Run_AnOutputIsALinkToAnInput_ExitsWith2AndLeavesItAlone(string option, bool inAFolder)
    {
        string input = _folder.Write("in/file", "precious\n"), link = _folder.File("link");
        _folder.Write("in/other", "a\n");
        File.CreateSymbolicLink(link, input);

        CommandLine run = CommandLine.Run("run", "--input", inAFolder ? _folder.File("in") : input, option, link);

        Assert.Equal(2, run.ExitCode);
        Assert.Contains($"'{link}' leads to '{input}', which is input", run.Error, StringComparison.Ordinal);
        Assert.Equal("precious\n", File.ReadAllText(input));
    }

    [Fact]
    public void Run_AnOutputBehindALinkedFolder_IsKnownToo()
    {
        string input = _folder.Write("in/file", "precious\n");
        Directory.CreateSymbolicLink(_folder.File("also"), _folder.File("in"));

        Assert.Equal(2, CommandLine.Run("run", "--input", input, "--json", _folder.File("also/file")).ExitCode);
        // Neither exists yet: they are one file all the same.
        Assert.Equal(
            2, CommandLine.Run("run", "--input", input, "--json", _folder.File("also/new"), "--html", _folder.File("in/new")).ExitCode);
        Assert.Equal("precious\n", File.ReadAllText(input));
    }

    [Fact]
    public void Report_TwoOutputsLeadToOneFile_ExitsWith2()
    {
        string json = SharedResult(), link = _folder.File("link");
        File.CreateSymbolicLink(link, _folder.File("page.html"));

        CommandLine report = CommandLine.Run("report", json, "--html", _folder.File("page.html"), "--markdown", link);

        Assert.Equal(2, report.ExitCode);
        Assert.Contains("lead to one file", report.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void IdentityOf_HardLink_IsThatOfTheFile()
    {
        string file = _folder.Write("file", "a"), link = _folder.File("hard");
        Assert.SkipUnless(OperatingSystem.IsLinux(), "not run: only Linux tells what a path leads to");
        Sh($"ln '{file}' '{link}'");

        Assert.Equal(FileKind.IdentityOf(file), FileKind.IdentityOf(link));
        Assert.NotEqual(FileKind.IdentityOf(file), FileKind.IdentityOf(_folder.Write("copy", "a")));
    }

    [Fact]
    public void IdentityOf_LinksThatGoRound_Ends()
    {
        File.CreateSymbolicLink(_folder.File("a"), _folder.File("b"));
        File.CreateSymbolicLink(_folder.File("b"), _folder.File("a"));

        Assert.NotEqual("", FileKind.IdentityOf(_folder.File("a/x")));
    }

    [Fact]
    public void Run_EntriesThatCannotBeRead_AreNamedAndCountedAndTheRestIsRead()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "not run: only on Linux a name may be no text");
        _folder.Write("in/file", "a\n");
        File.CreateSymbolicLink(_folder.File("in/dangling"), _folder.File("nowhere"));
        Sh($"cd '{_folder.File("in")}' && printf x > \"$(printf 'bad\\377')\" && mkdir \"$(printf 'dir\\376')\"");
        string json = _folder.File("run.json"), manifest = _folder.File("sums");

        CommandLine run = CommandLine.Run("run", "--input", _folder.File("in"), "--json", json, "--manifest", manifest);

        // What has such a name the runtime cannot remove.
        Sh($"rm -rf '{_folder.File("in")}'");
        Assert.Equal(1, run.ExitCode);
        Assert.Contains("Left out 3 entries", run.Out, StringComparison.Ordinal);
        Assert.Contains($"is a link to '{_folder.File("nowhere")}', which does not exist", run.Out, StringComparison.Ordinal);
        Assert.Equal(2, run.Out.Split("a name that is not UTF-8").Length - 1);
        Assert.Contains("dangling", ResultFile.Load(json).Options["unread"], StringComparison.Ordinal);
        Assert.EndsWith($"{_folder.File("in/file")}\n", Assert.Single(File.ReadAllLines(manifest)) + "\n", StringComparison.Ordinal);
    }

    [OtherUserFact]
    public void Run_AFolderThatThisUserMustNotRead_IsNamedAndTheRestIsRead()
    {
        _folder.Write("in/file", "a\n");
        _folder.Write("in/closed/file", "b\n");
        _folder.Write("in/secret", "c\n");
        Sh($"chmod 755 '{_folder.Path}' && chmod 700 '{_folder.File("in/closed")}' && chmod 600 '{_folder.File("in/secret")}'");

        CommandLine run = ChildProcess.RunToEnd(OtherUserFactAttribute.By, "run", "--quick", "--no-hash", "--contestant", "one-thread", "--input", _folder.File("in"));

        Assert.Equal(1, run.ExitCode);
        Assert.Contains("1 files, 1 lines", run.Out, StringComparison.Ordinal);
        Assert.Contains($"folder '{_folder.File("in/closed")}' must not be read by this user", run.Out, StringComparison.Ordinal);
        Assert.Contains($"'{_folder.File("in/secret")}' must not be read by this user", run.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("report", "{0}")]
    [InlineData("layout", "X", "--assembly", "{0}")]
    [InlineData("tune", "--assembly", "{0}")]
    [InlineData("tune", "--check", "{0}")]
    [InlineData("tune", "--arrivals", "replay:{0}")]
    [InlineData("run", "--input", "{0}")]
    public void AnyCommand_InputIsAPipe_ExitsWith2(params string[] args)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "not run: only Linux tells what a path leads to");
        string pipe = _folder.File("pipe");
        Sh($"mkfifo '{pipe}'");

        CommandLine command = CommandLine.Run([.. args.Select(arg => string.Format(System.Globalization.CultureInfo.InvariantCulture, arg, pipe))]);

        Assert.Equal(2, command.ExitCode);
        Assert.Contains("device, pipe or socket", command.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(">/dev/full", 1)]
    [InlineData(">&-", 1)]
    [InlineData("2>/dev/full", 0)]
    [InlineData("2>&-", 0)]
    [InlineData("| head -1 >/dev/null", 0)]
    public void Doctor_AStreamIsClosedOrFull_WritesItsFileAndEndsWithoutATrace(string redirections, int exitCode)
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "not run: this system has no /dev/full");
        string json = _folder.File("machine.json");

        CommandLine doctor = ChildProcess.RunRedirected(redirections, "doctor", "--json", json);

        Assert.Equal(exitCode, doctor.ExitCode);
        Assert.DoesNotContain("   at ", doctor.Error, StringComparison.Ordinal);
        Assert.Equal("doctor", ResultFile.Load(json).Suite);
    }

    private string SharedResult() => _folder.Write("in.json", SharedRun.Compare.Json);

    private static void Sh(string script)
    {
        using Process shell = Process.Start("sh", ["-c", script]);
        shell.WaitForExit();
        Assert.Equal(0, shell.ExitCode);
    }
}
