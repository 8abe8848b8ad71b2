using Raceway.Analysis.Layouts;
using Raceway.LayoutSamples;
using Raceway.LayoutSamples.Initialised;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Cli;

public sealed class LayoutCommandTests : IDisposable
{
    private static readonly string s_samples = typeof(SharedCounters).Assembly.Location;

    // By name: to name a type of it in code runs its initialiser.
    private static readonly string s_initialised =
        Path.Combine(Path.GetDirectoryName(s_samples)!, "Raceway.LayoutSamples.Initialised.dll");

    private readonly TempFolder _folder = new();

    public void Dispose()
    {
        // An assembly that was looked at stays open until its context has gone.
        GC.Collect();
        GC.WaitForPendingFinalizers();
        _folder.Dispose();
    }

    [Fact]
    public void Layout_TypeOfTheRuntime_IsDrawnLineByLine()
    {
        CommandLine layout = CommandLine.Run("layout", "Dictionary<string,long>", "--line", "64");

        Assert.Equal((0, ""), (layout.ExitCode, layout.Error));
        Assert.Contains(
            "Dictionary<string, long>: class, 80 B (16 header, 64 fields, 0 padding)", layout.Out, StringComparison.Ordinal);
        Assert.Contains("(method table)", layout.Out, StringComparison.Ordinal);
        Assert.Contains("-- line 1 --", layout.Out, StringComparison.Ordinal);
        Assert.Contains("Live: 64 objects", layout.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Layout_AnyType_IsAtMostHundredColumnsWide()
    {
        CommandLine layout = CommandLine.Run("layout", "*", "--assembly", s_samples);

        Assert.All(layout.Out.Split('\n'), line => Assert.True(line.Length <= 100, line));
        Assert.Contains("NeedsAnother", layout.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Layout_SharedByTwoWriters_SaysWhereAndFails()
    {
        CommandLine layout = CommandLine.Run("layout", "SharedCounters", "--assembly", s_samples, "--line", "64");

        Assert.Equal(1, layout.ExitCode);
        Assert.Contains("SHARED: producer and consumer write one line", layout.Out, StringComparison.Ordinal);
        Assert.Contains("7 of 8 places", layout.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_OfLayouts_ShowsThemAndMergesThem()
    {
        string json = _folder.File("a.json"), both = _folder.File("both.json");
        CommandLine.Run("layout", "SharedCounters", "--assembly", s_samples, "--line", "64", "--json", json);
        string again = _folder.Write("b.json", File.ReadAllText(json));

        CommandLine report = CommandLine.Run("report", json);
        CommandLine.Run("report", json, again, "--json", both);
        CommandLine damaged = CommandLine.Run(
            "report", _folder.Write("c.json", File.ReadAllText(json).Replace("\"writers\": [", "\"writers\": [null,", StringComparison.Ordinal)));

        Assert.Equal(0, report.ExitCode);
        Assert.Contains("Layouts of a.json", report.Out, StringComparison.Ordinal);
        Assert.Contains("SHARED: producer and consumer write one line", report.Out, StringComparison.Ordinal);
        Assert.Equal(2, ResultFile.Load(both).Layouts!.Count);
        Assert.Equal(2, damaged.ExitCode);
        Assert.Contains("$.layouts", damaged.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("PaddedCounters")]
    [InlineData("PaddedCounters", "--pair")]
    [InlineData("SpacedCounter[]", "--pair")]
    [InlineData("SharedCounters", "--at", "48")]
    [InlineData("SharedCounters", "--writer", "Produced=one", "--writer", "SharedCounters.Consumed=one")]
    public void Layout_NothingShared_Passes(params string[] args)
    {
        CommandLine layout = CommandLine.Run(["layout", .. args, "--assembly", s_samples, "--line", "64"]);

        Assert.Equal((0, ""), (layout.ExitCode, layout.Error));
        Assert.DoesNotContain("SHARED", layout.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Counter[]", "an element's thread and the next element's write one line")]
    [InlineData("Counter", "neighbours share a line at 7 of 8 places", 0)]
    [InlineData("SizedClass", "StructLayout asks for Size = 192, but the fields take 72 B", 0)]
    [InlineData("SizedClass", "Value (producer) may share a line with what lies before or behind", 0)]
    [InlineData("SequentialWithReference", "declared sequential, but the runtime has put the fields in an order of its own", 0)]
    [InlineData("GenericBox<string>", "SHARED")]
    [InlineData("Abstract", "It is abstract", 0)]
    [InlineData("OnStack", "a ref struct lives on the stack alone", 0)]
    [InlineData("DayOfWeek", "enum, 4 B", 0)]
    public void Layout_Trap_IsNamed(string type, string text, int code = 1)
    {
        CommandLine layout = CommandLine.Run("layout", type, "--assembly", s_samples, "--line", "64");

        Assert.Equal((code, ""), (layout.ExitCode, layout.Error));
        string unbroken = layout.Out.ReplaceLineEndings(" ").Replace("     ", " ", StringComparison.Ordinal);
        Assert.Contains(text, unbroken, StringComparison.Ordinal);
    }

    [Fact]
    public void Layout_AssemblyWithoutTypes_ShowsThoseWithAttributes()
    {
        CommandLine layout = CommandLine.Run("layout", "--assembly", s_samples);

        Assert.Equal(1, layout.ExitCode);
        Assert.Contains("SharedCounters: class", layout.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("Mixed: class", layout.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Layout_AssemblyWithInitialiser_DoesNotRunIt()
    {
        CommandLine layout = CommandLine.Run("layout", "Kept", "KeptValue", "List<KeptValue>", "--assembly", s_initialised);

        Assert.Equal((0, ""), (layout.ExitCode, layout.Error));
        Assert.Contains("module initialiser", layout.Out, StringComparison.Ordinal);
        Assert.Contains("Kept: class, 32 B", layout.Out, StringComparison.Ordinal);
        Assert.Contains("KeptValue: struct, 16 B", layout.Out, StringComparison.Ordinal);
        Assert.Null(AppContext.GetData(Started.Key));
    }

    [Fact]
    public void Layout_MissingDependency_IsSaidAndTheRestDone()
    {
        string alone = _folder.Write("Raceway.LayoutSamples.dll", File.ReadAllBytes(s_samples));

        CommandLine layout = CommandLine.Run("layout", "NeedsAnother", "Empty", "--assembly", alone);

        Assert.Equal(2, layout.ExitCode);
        Assert.Contains(
            "NeedsAnother cannot be loaded: it needs Raceway.LayoutSamples.Initialised", layout.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", layout.Error, StringComparison.Ordinal);
        Assert.Contains("Empty: class, 24 B", layout.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Dictionnary<string,long>", "Did you mean", "System.Collections.Generic.Dictionary<,>")]
    [InlineData("Dictionary<string>", "has 2 type parameters, but 1 was given", "'Dictionary<long, long>'")]
    [InlineData("Guid<int>", "System.Guid is not generic", "leave out")]
    [InlineData("List<>", "open generic", "List<long>")]
    [InlineData("IDisposable", "interface", "implements")]
    [InlineData("Nullable<string>", "cannot be made of string", "")]
    [InlineData("a b", "is not the name of a type", "List<int>")]
    [InlineData("Timer", "may be", "namespace")]
    [InlineData("*", "there is no type named '*'", "")]
    public void Layout_WrongType_SaysWhatToWrite(string type, string what, string remedy)
    {
        CommandLine layout = CommandLine.Run("layout", type);

        Assert.Equal(2, layout.ExitCode);
        Assert.StartsWith("raceway: ", layout.Error, StringComparison.Ordinal);
        Assert.Contains(what, layout.Error, StringComparison.Ordinal);
        Assert.Contains(remedy, layout.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", layout.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Layout_WrongAssembly_SaysWhatIsWrong()
    {
        string text = _folder.Write("text.dll", "no assembly");

        Assert.Contains("there is no file", Error("--assembly", _folder.File("none.dll")), StringComparison.Ordinal);
        Assert.Contains("is a folder", Error("--assembly", _folder.Path), StringComparison.Ordinal);
        Assert.Contains("is not a .NET assembly", Error("--assembly", text), StringComparison.Ordinal);

        static string Error(params string[] args)
        {
            CommandLine layout = CommandLine.Run(["layout", "Guid", .. args]);
            Assert.Equal(2, layout.ExitCode);
            return layout.Error;
        }
    }

    [Theory]
    [InlineData("name a type")]
    [InlineData("--line takes a power of two", "Guid", "--line", "65")]
    [InlineData("--at takes a multiple of 8", "Guid", "--at", "3")]
    [InlineData("--at takes less than a line", "Guid", "--at", "64", "--line", "64")]
    [InlineData("--writer takes FIELD=THREAD", "Guid", "--writer", "producer")]
    [InlineData("--writer names 'nowhere'", "Guid", "--writer", "nowhere=producer")]
    public void Layout_WrongOption_SaysSo(string what, params string[] args)
    {
        CommandLine layout = CommandLine.Run(["layout", .. args]);

        Assert.Equal(2, layout.ExitCode);
        Assert.Contains(what, layout.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Layout_Json_HoldsWhatWasShown()
    {
        string json = _folder.File("layout.json");

        CommandLine layout = CommandLine.Run("layout", "SharedCounters", "--assembly", s_samples, "--line", "64", "--json", json);

        Assert.Equal(1, layout.ExitCode);
        ResultLayout written = Assert.Single(ResultFile.Load(json).Layouts!);
        Assert.Equal(
            ("Raceway.LayoutSamples.SharedCounters", "class", 32, 64),
            (written.Type, written.Kind, written.Size, written.LineSize));
        Assert.Equal(["Produced", "Consumed"], written.Fields.Select(one => one.Path));
        Assert.Equal((7, 8), (Assert.Single(written.Shared).Places, written.Shared[0].OfPlaces));
        Assert.Equal(64, written.LivePlaces!.Count);
    }

    [Fact]
    public void Layout_Self_PassesAndIsWritten()
    {
        string json = _folder.File("self.json");

        CommandLine layout = CommandLine.Run("layout", "--self", "--json", json);

        Assert.Equal((0, ""), (layout.ExitCode, layout.Error));
        Assert.DoesNotContain("FAIL", layout.Out, StringComparison.Ordinal);
        ResultFile result = ResultFile.Load(json);
        Assert.All(result.Rows, row => Assert.True(row.Verified, row.Contestant));
        Assert.True(result.Rows.Count >= 30, $"{result.Rows.Count} checks");
    }

    [Fact]
    public void Layout_SelfWithABrokenPadding_Fails()
    {
        CommandLine layout = CommandLine.RunOwn([typeof(BrokenPadding), .. OwnTypes.All], "layout", "--self");

        Assert.Equal(1, layout.ExitCode);
        Assert.Contains("FAIL  Raceway.LayoutSamples.BrokenPadding", layout.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Layout_Help_HasExamples()
    {
        CommandLine layout = CommandLine.Run("layout", "--help");

        Assert.Equal(0, layout.ExitCode);
        Assert.Contains("raceway layout --self", layout.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Layout_Interrupted_ExitsWith130()
    {
        using var error = new StringWriter();

        Assert.Equal(130, CommandLine.Run(["layout", "Guid"], error, new CancellationToken(canceled: true)).ExitCode);
    }
}
