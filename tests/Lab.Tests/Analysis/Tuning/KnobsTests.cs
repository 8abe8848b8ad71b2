using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Raceway.Analysis.Tuning;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Analysis.Tuning;

public sealed class KnobsTests
{
    private static IEnumerable<IReadOnlyDictionary<string, string>> Choices
    {
        get
        {
            var random = new Random(5);
            return [.. KnobSpace.Anchors(), .. Enumerable.Range(0, 200).Select(_ => KnobSpace.Draw(random))];
        }
    }

    [Fact]
    public void Choices_OfEveryKind_CanBeBuilt()
    {
        foreach (IReadOnlyDictionary<string, string> knobs in Choices.Concat(KnobSpace.Grid()))
            Assert.NotNull(new SumTrial().Build(Knobs.ToSettings(knobs)));
    }

    [Fact]
    public void Choices_AreToldApartByTheirNames()
    {
        IReadOnlyDictionary<string, string>[] all = [.. Choices];

        Assert.Equal(
            all.Select(static one => string.Join(';', one.OrderBy(static pair => pair.Key, StringComparer.Ordinal))).Distinct().Count(), all.Select(Knobs.NameOf).Distinct().Count());
    }

    [Fact]
    public void Neighbours_DifferInOneKnob_AndReachEveryValueThatMatters()
    {
        IReadOnlyDictionary<string, string> choice = KnobSpace.Anchors().First();

        (string Knob, IReadOnlyDictionary<string, string> Knobs)[] around = [.. KnobSpace.Neighbours(choice)];

        Assert.DoesNotContain(around, one => Knobs.NameOf(one.Knobs) == Knobs.NameOf(choice));
        Assert.Equal(Wait.All.Count - 1, around.Count(static one => one.Knob == Knobs.Wait));
        Assert.Equal(4, around.Count(static one => one.Knob == Knobs.Plan));
        Assert.Equal(4, around.Count(static one => one.Knob == Knobs.Capacity));
    }

    [Fact]
    public void ToSettings_NothingNamed_IsWhatAUserGets()
    {
        Assert.Equal(new PipelineSettings().Plan, Knobs.ToSettings(new Dictionary<string, string>()).Plan);
        Assert.Equal(Plan.Auto, Knobs.ToSettings(new Dictionary<string, string> { ["capacity"] = "512" }).Plan);
        Assert.Contains("Plan = Plan.Auto", SettingsCode.Of(new Dictionary<string, string> { ["capacity"] = "512" }), StringComparison.Ordinal);
    }

    [Fact]
    public void Anchors_HoldAuto_AndTheCapacitiesOfFusedAndAutoWithSeveralLimits()
    {
        string[] rooms =
            [.. from capacity in new[] { "1024", "4096", "16384", "65536" } from batch in new[] { "64", "256", "1024" } select $"{capacity}/{batch}"];

        foreach (string plan in new[] { "fused", "auto" })
        {
            Assert.Subset(
                KnobSpace.Anchors().Where(one => one["plan"] == plan && one.ContainsKey("batch"))
                    .Select(static one => $"{one["capacity"]}/{one["batch"]}").ToHashSet(),
                rooms.ToHashSet());
        }

        Assert.Contains(KnobSpace.Anchors(), static one => one["plan"] == "auto" && KnobSpace.ChangesOf(one) == 1);
    }

    // Auto takes no wait, and what is told to wait is a thread per stage.
    [Fact]
    public void Neighbours_OfAWaitWithoutAPlan_KeepIt()
    {
        var today = new Dictionary<string, string> { ["wait"] = "yield" };

        Assert.All(KnobSpace.Neighbours(today).Where(static one => one.Knob == "capacity"), static one => Assert.Equal("yield", one.Knobs["wait"]));
        Assert.All(
            KnobSpace.Neighbours(new Dictionary<string, string>()).Where(static one => one.Knob == "capacity"),
            static one => Assert.Equal("auto", one.Knobs["plan"]));
    }

    [Fact]
    public void Plain_KeepsPlanAndCapacity()
    {
        var knobs = new Dictionary<string, string>
        {
            ["plan"] = "fused", ["capacity"] = "256", ["batch"] = "16", ["min"] = "16", ["wait"] = "yield", ["placement"] = "apart", ["dispatch:a"] = "single",
        };

        IReadOnlyDictionary<string, string> plain = KnobSpace.Plain(knobs);

        Assert.Equal(("fused", "256", 2), (plain["plan"], plain["capacity"], KnobSpace.ChangesOf(plain)));
    }

    [Fact]
    public void Rooms_AreEveryCapacityWithEveryLimit()
    {
        var knobs = new Dictionary<string, string> { ["plan"] = "fused", ["wait"] = "yield" };

        // 256 slots hold batches of 16, 64 and 256; 1,024 one more, and so does 4,096.
        Assert.Equal(3 + 4 + 5 + 5 + 5, KnobSpace.Rooms(knobs).Count());
        Assert.All(KnobSpace.Rooms(knobs), static one => Assert.Equal(("fused", "yield"), (one["plan"], one["wait"])));
    }

    [Fact]
    public void Normal_LeavesOutWhatAnotherKnobMakesMeaningless()
    {
        var knobs = new Dictionary<string, string> { ["plan"] = "pooled", ["dispatch"] = "single", ["batch"] = "16", ["min"] = "4", ["placement"] = "apart" };

        Assert.Equal(["dispatch", "plan"], Knobs.Normal(knobs).Keys);
    }

    // With a wait or processors, Auto is a thread a stage: the same setting twice, and the pool not tried at all.
    [Fact]
    public void Normal_OfAuto_LeavesTheWaitToIt()
    {
        var knobs = new Dictionary<string, string> { ["plan"] = "auto", ["wait"] = "park", ["placement"] = "apart", ["capacity"] = "256" };

        Assert.Equal(["capacity", "plan"], Knobs.Normal(knobs).Keys);
        Assert.DoesNotContain(
            KnobSpace.Grid(), static one => one.GetValueOrDefault("plan") == "auto" && (one.ContainsKey("wait") || one.ContainsKey("placement")));
        Assert.Contains(KnobSpace.Grid(), static one => one.GetValueOrDefault("plan") == "auto");
    }

    [Fact]
    public void Choices_UnderDifferentNames_AreDifferentSettings()
    {
        IReadOnlyDictionary<string, string>[] all =
        [
            .. Choices.Concat(KnobSpace.Grid()).Concat(Choices.SelectMany(static one => KnobSpace.Neighbours(one)).Select(static one => one.Knobs))
                .DistinctBy(Knobs.NameOf),
        ];

        // What a stage is given, on which it depends: no batch is larger than the ring.
        Assert.Equal(all.Length, all.Select(static one => Effect(Knobs.ToSettings(one))).Distinct().Count());

        static string Effect(PipelineSettings settings)
        {
            Dispatch dispatch = settings.Dispatch ?? Dispatch.Batch();
            int capacity = settings.Capacity ?? 4096;
            bool isPooled = settings.Plan == Plan.Pooled || (settings.Plan == Plan.SharedRing && settings.Wait?.Name == "async");
            return string.Join(
                '/', isPooled ? Plan.Pooled : settings.Plan, capacity, dispatch.Level,
                dispatch.Level == DispatchLevel.Single ? 1 : Math.Min(capacity, dispatch.MaxIn(capacity)), dispatch.Min,
                dispatch.MaxAge, settings.Wait, settings.Padding, string.Join(',', settings.Processors ?? []));
        }
    }

    [Fact]
    public void Usual_OfTheLimit_IsWhatNoLimitComesToInThatRing()
    {
        var knobs = new Dictionary<string, string> { ["capacity"] = "65536", ["batch"] = "16", ["plan"] = "fused" };

        Assert.Equal("4096", KnobSpace.Usual(knobs, Knobs.Batch)[Knobs.Batch]);
        knobs["capacity"] = "256";
        Assert.Equal("256", KnobSpace.Usual(knobs, Knobs.Batch)[Knobs.Batch]);
        knobs["capacity"] = "4096";
        Assert.Equal("1024", KnobSpace.Usual(knobs, Knobs.Batch)[Knobs.Batch]);
    }

    [Fact]
    public void Code_OfEveryChoice_CompilesToTheSettingsThatWereMeasured()
    {
        IReadOnlyDictionary<string, string>[] all =
        [
            .. Choices,
            new Dictionary<string, string>(),
            new Dictionary<string, string> { [Knobs.OfStage + "a \"b\"\\"] = "single", [Knobs.OfStage + "c"] = "batch 16", ["wait"] = "timed-park" },
        ];

        IReadOnlyList<PipelineSettings> compiled = Compile(all.Select(SettingsCode.Of));

        Assert.Equal(all.Select(static one => Text(Knobs.ToSettings(one))), compiled.Select(Text));
    }

    [Theory]
    [InlineData("batch", "256", 256, 1)]
    [InlineData("min", "4", null, 4)]
    public void ToSettings_ALimitAlone_IsThatOfBatches(string knob, string value, int? max, int min)
    {
        Dispatch dispatch = Knobs.ToSettings(new Dictionary<string, string> { [knob] = value }).Dispatch!;

        Assert.Equal((DispatchLevel.Batch, max, min), (dispatch.Level, dispatch.Max, dispatch.Min));
        Assert.Equal(Timeout.InfiniteTimeSpan, dispatch.MaxAge);
    }

    [Fact]
    public void ToSettings_AgeWithoutAMinimum_IsRefusedAsTheLibraryDoes() => Assert.Contains(
        "min=1", Assert.Throws<FormatException>(() => Knobs.ToSettings(new Dictionary<string, string> { ["age-us"] = "50" })).Message,
        StringComparison.Ordinal);

    [Theory]
    [InlineData("plan", "manual")]
    [InlineData("wait", "forever")]
    [InlineData("capacity", "many")]
    [InlineData("padding", "1")]
    [InlineData("dispatch", "always")]
    [InlineData("placement", "there")]
    public void ToSettings_BadValue_SaysWhich(string knob, string value) => Assert.Contains(
        $"'{value}'", Assert.Throws<FormatException>(() => Knobs.ToSettings(new Dictionary<string, string> { [knob] = value })).Message,
        StringComparison.Ordinal);

    private static string Text(PipelineSettings settings) => string.Join(
        "; ", settings.Plan, settings.Capacity, settings.Dispatch, settings.Wait, settings.Padding,
        string.Join(',', settings.Processors ?? []), string.Join(',', settings.DispatchOf.Select(static one => $"{one.Key}={one.Value}")));

    private static IReadOnlyList<PipelineSettings> Compile(IEnumerable<string> expressions)
    {
        string code =
            "using System; using System.Collections.Generic; using Raceway.Pipelines; using Raceway.Rings;\n"
            + $"public static class Pasted {{ public static PipelineSettings[] All => [\n{string.Join(",\n", expressions)}];\n}}";
        var references = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Select(static path => MetadataReference.CreateFromFile(path));
        CSharpCompilation compilation = CSharpCompilation.Create(
            "Pasted", [CSharpSyntaxTree.ParseText(code, new CSharpParseOptions(LanguageVersion.Latest))], references,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary));
        using var image = new MemoryStream();
        var result = compilation.Emit(image);
        Assert.True(result.Success, string.Join('\n', result.Diagnostics) + "\n" + code);
        Type pasted = System.Reflection.Assembly.Load(image.ToArray()).GetType("Pasted")!;
        return (PipelineSettings[])pasted.GetProperty("All")!.GetValue(null)!;
    }
}
