using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Cli;

public sealed class CompareAndDoctorTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Compare_SomeCases_MeasuresAndWritesThem()
    {
        SharedRun compare = SharedRun.Compare;

        Assert.Contains("1p-1c: ", compare.Command.Out, StringComparison.Ordinal);
        ResultFile result = compare.Result;
        Assert.Equal("ring", result.Suite);
        Assert.All(result.Rows.Where(row => row.Median is not null), row => Assert.True(row.Verified, row.Contestant));
        Assert.Contains(result.Rows, row => row is { Contestant: "channel-bounded", Metric: "throughput" });
        Assert.Equal(["1p-1c", "one-way-1e5", "one-way-1e6"], result.Rows.Select(static row => row.Case).Distinct());
    }

    [Fact]
    public void Compare_OneCase_ChecksTheClaimsAboutItAndNoOthers()
    {
        SharedRun compare = SharedRun.Compare;

        ClaimNote?[] claims = [.. compare.Result.Rows.Where(static row => row.Case == "1p-1c")
            .Select(static row => ClaimNote.Parse(row.Note)).Where(static note => note is not null)];
        Assert.Equal(["1a", "1b", "1c", "1e", "2a", "2b", "7"], claims.Select(note => note!.Number).Distinct());
        Assert.NotEqual(ClaimVerdict.NotMeasured, claims.First(note => note!.Number == "1c")!.Verdict);
        Assert.Matches("Claims that hold: [0-9]+; that do not: [0-9]+; not measured: [0-9]+[.]", compare.Command.Out);
    }

    [Fact]
    public void Compare_Interrupted_ExitsWith130()
    {
        using var error = new StringWriter();

        CommandLine compare = CommandLine.Run(["compare", "--suite", "ring"], error, new CancellationToken(canceled: true));

        Assert.Equal(130, compare.ExitCode);
    }

    [Fact]
    public void Doctor_Machine_PrintsTheCardAndWritesIt()
    {
        string json = _folder.File("machine.json");

        CommandLine doctor = CommandLine.Run("doctor", "--json", json);

        Assert.Equal(0, doctor.ExitCode);
        Assert.All(
            ["cores", "quota", "cache line", "membarrier", "pause", "clock"],
            fact => Assert.Contains(fact, doctor.Out, StringComparison.Ordinal));
        Assert.Equal("doctor", ResultFile.Load(json).Suite);
        Assert.Equal(Environment.ProcessorCount, ResultFile.Load(json).Machine.UsableCores);
    }
}
