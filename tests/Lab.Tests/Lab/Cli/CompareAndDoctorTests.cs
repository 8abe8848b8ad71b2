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
    public void Compare_WithAims_ChecksThoseOfItsCasesAndNoOthers()
    {
        SharedRun compare = SharedRun.Compare;

        AimNote?[] aims = [.. compare.Result.Rows.Where(static row => row.Case == "1p-1c")
            .Select(static row => AimNote.Parse(row.Note)).Where(static note => note is not null)];
        Assert.Equal(["mine", "absent"], aims.Select(note => note!.Number).Distinct());
        Assert.Equal(AimVerdict.Holds, aims.First(note => note!.Number == "mine")!.Verdict);
        Assert.Matches("Aims that hold: [0-9]+; that do not: [0-9]+; not measured: [0-9]+[.]", compare.Command.Out);
    }

    [Fact]
    public void Compare_AimThatIsNotMet_ExitsWith1_AndOneThatWasNotMeasuredDoesNot()
    {
        string[] command = ["compare", "--suite", "interop", "--quick", "--case", "one-channel", "--check"];
        string never = Aims("""{ "number": "1", "text": "all at once", "case": "one-channel", "ours": "raceway/default", "metric": "throughput", "bound": 1e300 }""");
        string absent = Aims("""{ "number": "1", "text": "nobody", "case": "one-channel", "ours": "raceway/nobody", "bound": 1 }""");

        CommandLine first = CommandLine.Run([.. command, never]), second = CommandLine.Run([.. command, absent]);

        Assert.Equal(1, first.ExitCode);
        Assert.Contains("Aims that hold: 0; that do not: 1; not measured: 0.", first.Out, StringComparison.Ordinal);
        Assert.Equal(0, second.ExitCode);
        Assert.Contains("Aims that hold: 0; that do not: 0; not measured: 1.", second.Out, StringComparison.Ordinal);

        string Aims(string one)
        {
            string file = _folder.File($"aims-{Guid.NewGuid():N}.json");
            File.WriteAllText(file, $$"""{ "interop": [ {{one}} ] }""");
            return file;
        }
    }

    [Fact]
    public void Compare_SomeCases_BeginsWithTheAnswer_AndEndsWithTheMachine()
    {
        SharedRun compare = SharedRun.Compare;

        Assert.StartsWith("raceway/default is ", compare.Command.Out, StringComparison.Ordinal);
        Assert.StartsWith("Machine: ", compare.Command.Out.TrimEnd().Split('\n')[^1], StringComparison.Ordinal);
        Assert.Equal(["1p-1c", "one-way-1e5", "one-way-1e6"], compare.Result.Rows.Select(Standing.Parse).OfType<Standing>().Where(static one => !one.IsOurs).Select(static one => one.Case));
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
