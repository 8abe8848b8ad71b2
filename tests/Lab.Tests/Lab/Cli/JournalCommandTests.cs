using System.Text.Json;
using Raceway.Interop.Journal;
using Raceway.Lab.Tests.Support;
using Raceway.Pipelines;

namespace Raceway.Lab.Tests.Lab.Cli;

public sealed class JournalCommandTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("info", "--json")]
    [InlineData("verify", "--json")]
    [InlineData("dump", "--from", "--count", "--json")]
    [InlineData("cut", "--yes", "--json")]
    [InlineData("probe", "--for", "--json")]
    public void Help_Command_ShowsOptionsAndExamples(string command, params string[] options)
    {
        CommandLine help = CommandLine.Run("journal", command, "--help");
        Assert.Equal(0, help.ExitCode);
        Assert.All(options, option => Assert.Contains(option, help.Out, StringComparison.Ordinal));
        Assert.Contains($"  raceway journal {command}", help.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("info")]
    [InlineData("verify")]
    [InlineData("dump")]
    [InlineData("cut")]
    [InlineData("cut", "--yes")]
    public void Invoke_WithoutAJournal_ExitsWith2(params string[] args)
    {
        string empty = _folder.File("empty");
        Directory.CreateDirectory(empty);
        foreach (string path in new[] { empty, _folder.File("none"), "/dev/null" })
        {
            CommandLine wrong = CommandLine.Run(["journal", args[0], path, .. args[1..]]);
            Assert.Equal(2, wrong.ExitCode);
            Assert.Contains("has no segment", wrong.Error, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("PATH takes the name of a folder", "info", "")]
    [InlineData("Required argument", "info")]
    [InlineData("--from takes the sequence of an item", "dump", "x", "--from", "-1")]
    [InlineData("--count takes a number of items", "dump", "x", "--count", "many")]
    [InlineData("--for takes a time", "probe", "x", "--for", "soon")]
    [InlineData("is no folder", "probe", "x")]
    public void Invoke_BadCommandLine_NamesTheFaultAndExitsWith2(string message, params string[] args)
    {
        CommandLine wrong = CommandLine.Run(["journal", .. args]);
        Assert.Equal(2, wrong.ExitCode);
        Assert.Contains(message, wrong.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Verify_OfAJournalThatIsDamaged_ExitsWith1AndCutRepairsIt()
    {
        string path = await MakeAsync(300);
        Assert.Contains("300 items, 0 to 299", CommandLine.Run("journal", "info", path).Out, StringComparison.Ordinal);
        Assert.Equal(0, CommandLine.Run("journal", "verify", path).ExitCode);
        CommandLine dump = CommandLine.Run("journal", "dump", path, "--from", "7", "--count", "2");
        Assert.Equal($"7 8 0700000000000000{Environment.NewLine}8 8 0800000000000000{Environment.NewLine}", dump.Out);

        string segment = Directory.GetFiles(path, "*.segment").Single();
        byte[] bytes = File.ReadAllBytes(segment);
        bytes[4096 + 2_000] ^= 1;
        File.WriteAllBytes(segment, bytes);

        string json = _folder.File("report.json");
        CommandLine verify = CommandLine.Run("journal", "verify", path, "--json", json);
        Assert.Equal(1, verify.ExitCode);
        using (JsonDocument report = JsonDocument.Parse(File.ReadAllText(json)))
        {
            JsonElement damage = report.RootElement.GetProperty("damage");
            Assert.Equal(Path.GetFileName(segment), damage.GetProperty("file").GetString());
            Assert.InRange(damage.GetProperty("sequence").GetInt64(), 0, 299);
        }

        Assert.Equal(1, CommandLine.Run("journal", "dump", path).ExitCode);
        CommandLine asks = CommandLine.Run("journal", "cut", path);
        Assert.Equal(1, asks.ExitCode);
        Assert.Contains("--yes", asks.Out, StringComparison.Ordinal);
        Assert.Equal(1, CommandLine.Run("journal", "verify", path).ExitCode);
        Assert.Equal(0, CommandLine.Run("journal", "cut", path, "--yes").ExitCode);
        Assert.Equal(0, CommandLine.Run("journal", "verify", path).ExitCode);
    }

    [Fact]
    public async Task Invoke_OfAFolderWithAJournal_DoesNotWriteOverItsFiles()
    {
        string path = await MakeAsync(3);
        string segment = Directory.GetFiles(path, "*.segment").Single();
        Assert.Equal(2, CommandLine.Run("journal", "info", path, "--json", segment).ExitCode);
        Assert.Equal(0, CommandLine.Run("journal", "verify", path).ExitCode);
        using (Open(path)) Assert.Equal(2, CommandLine.Run("journal", "cut", path, "--yes").ExitCode);
    }

    [Fact]
    public void Probe_OfAFolder_PrintsTimesAndLeavesNothing()
    {
        string json = _folder.File("probe.json");
        string disk = _folder.File("disk");
        Directory.CreateDirectory(disk);
        CommandLine probe = CommandLine.Run("journal", "probe", disk, "--for", "10ms", "--json", json);
        Assert.Equal(0, probe.ExitCode);
        Assert.Contains("batches/s", probe.Out, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(disk));
        using JsonDocument times = JsonDocument.Parse(File.ReadAllText(json));
        Assert.Equal(4, times.RootElement.GetArrayLength());
    }

    private static Journal<long> Open(string path) =>
        Journal<long>.Open(path, JournalCodec.Unmanaged<long>(), new JournalOptions { SegmentLength = 4 << 20 });

    private async Task<string> MakeAsync(int items)
    {
        string path = _folder.File("journal");
        using Journal<long> journal = Open(path);
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).Stage("journal", journal).Run();
        await pipeline.Publisher.PublishAsync(Enumerable.Range(0, items).Select(static n => (long)n).ToArray());
        await pipeline.DrainAsync(TimeSpan.FromMinutes(5));
        return path;
    }
}
