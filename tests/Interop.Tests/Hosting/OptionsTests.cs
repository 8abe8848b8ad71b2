using System.Text.RegularExpressions;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>What the configuration sets, what is refused, and what follows it live.</summary>
public sealed partial class OptionsTests
{
    private const string Path = $"Raceway:Pipelines:{TestHost.Name}";

    [Fact]
    public async Task Start_ConfigurationFullOfMistakes_IsRefusedWithAllOfThem()
    {
        await using TestHost host = TestHost.Create(
            Define, null, ("Capacity", "1000"), ("Plan", "Quick"), ("Wait", "nap"), ("DrainTimeout", "10"), ("HaltTimeout", "-00:00:01"),
            ("OnFault", "7"), ("StallAfter", "00:00:00"), ("NearlyFull", "1.5"), ("Capasity", "64"), ("Stages:prase:Max", "4"),
            ("Stages:parse:Max", "0"), ("Stages:parse:Min", "few"), ("Stages:store:Dispatch", "Single"), ("Stages:store:Max", "9"));

        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);

        string[] expected =
        [
            $"{Path}:DrainTimeout must be a time, or \"infinite\": value='10'. Use for example 00:00:10 for ten seconds.",
            $"{Path}:HaltTimeout must be from zero to a day: value=-00:00:01. Use for example 00:00:10.",
            $"{Path}:NearlyFull must be above 0 and at most 1: value=1.5. Use for example 0.9.",
            $"{Path}:OnFault must be one of StopApplication, KeepRunning: value='7'. Use one of them.",
            $"{Path}:Plan must be one of SharedRing, Fused, Manual, RingPerStage, Pooled, Auto: value='Quick'. Use one of them.",
            $"{Path}:StallAfter must be above zero: value=00:00:00. Use for example 00:00:10.",
            $"{Path}:Stages:parse:Max must be 1 or more: value=0. Use 1 or more, or leave it out.",
            $"{Path}:Stages:parse:Min must be a whole number that fits: value='few'. Use for example 16.",
            $"{Path}:Wait must be one of busy-spin, yield, adaptive, park, timed-park, async: value='nap'. Use one of them.",
            $"A key must be one that is known: key={Path}:Capasity. Known: Capacity, Plan, Wait, Stages, DrainTimeout, HaltTimeout, "
                + "OnFault, StallAfter, NearlyFull.",
            $"A stage must be one of the definition: stage='prase', key={Path}:Stages:prase. Known: parse, store.",
            "Capacity must be a power of two between 2 and 1073741824: capacity=1000. Use 1024.",
            $"The dispatch level Single has no limits: stage={Path}:Stages:store. Leave the limits out, or use Each or Batch.",
        ];
        Assert.Equal(expected.Order(StringComparer.Ordinal), refused.Failures.Order(StringComparer.Ordinal));
        Assert.Empty(host.Logs.Ids);
    }

    [Theory]
    [InlineData("Stages:parse:Dispatch", "each", "Stages:parse:MaxWeight", "9", "The dispatch level Each has no weight")]
    [InlineData("Stages:parse:Min", "9", "Stages:parse:Max", "8", "must not exceed its maximum: min=9, max=8")]
    [InlineData("Stages:parse:Min", "40", "Capacity", "64", "at most half the capacity")]
    [InlineData("Stages:parse:MaxWeight", "9", "Capacity", "64", "needs something that weighs")]
    [InlineData("Stages:parse:ProgressInterval", "-1", "Capacity", "64", "ProgressInterval must be 0 or more: value=-1")]
    [InlineData("Stages:parse", "Single", "Capacity", "64", "Stages:parse must hold settings of a stage")]
    [InlineData("Stages", "x", "Capacity", "64", ":Stages must be a section with keys of its own, not a value: value='x'")]
    [InlineData("Stages:parse", "Single", "Stages:parse:Max", "4", "Stages:parse must be a section with keys of its own, not a value: value='Single'")]
    [InlineData("Capacity", "64", "Capacity:x", "64", "A key must be one that is known: key=Raceway:Pipelines:orders:Capacity:x")]
    [InlineData("DrainTimeout", "2.00:00:00", "Capacity", "64", "DrainTimeout must be from zero to a day, or infinite: value=2.00:00:00")]
    [InlineData("HaltTimeout", "infinite", "Capacity", "64", "HaltTimeout must be from zero to a day: value=-00:00:00.0010000")]
    [InlineData("Plan", "SharedRing, Fused", "Capacity", "64", "Plan must be one of")]
    public async Task Start_OneMistake_IsNamed(string key, string value, string otherKey, string otherValue, string text)
    {
        await using TestHost host = TestHost.Create(Define, null, (key, value), (otherKey, otherValue));

        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);

        Assert.Contains(text, Assert.Single(refused.Failures), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_DefinitionIsWrong_IsRefusedWithTheMistakesOfTheOptions()
    {
        await using TestHost host = TestHost.Create(
            static (pipeline, _) => pipeline.After("nobody").Stage("a", Pass), null, ("NearlyFull", "2"));

        var refused = await Assert.ThrowsAsync<OptionsValidationException>(host.StartAsync);

        Assert.Equal(2, refused.Failures.Count());
        Assert.Contains(refused.Failures, failure => failure.Contains("'nobody'", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Configuration_OverOptionsOfTheCodeAndTheDefinition_HasTheLastWord()
    {
        await using TestHost host = TestHost.Create(
            static services => services.AddPipeline<long>(TestHost.Name, Define).Configure(static options =>
            {
                options.Capacity = 256;
                options.Plan = Plan.Fused;
                options.Stages["store"] = new StageDispatchOptions { Max = 8, Min = 2 };
            }),
            ("CAPACITY", "512"), ("Wait", "yield"), ("Stages:STORE:Max", "16"), ("Stages:parse:Dispatch", "single"));

        Assert.Equal(512, host.Pipeline.Ring.Capacity);
        Assert.Equal(Plan.Fused, host.Pipeline.Plan);
        Assert.Equal(Dispatch.Batch(max: 16, min: 2), host.Pipeline["store"].Dispatch);
        Assert.Equal(Dispatch.Single, host.Pipeline["parse"].Dispatch);
        Assert.Equal("yield", host.Hosted.Options.Wait!.Name);
    }

    [Fact]
    public async Task Change_OfDispatch_IsFollowedLiveAndTakenBack()
    {
        await using TestHost host = await TestHost.Create(Define).StartAsync();

        host.Change(("Stages:store:Max", "16"), ("Stages:store:Dispatch", "Each"), ("StallAfter", "00:00:05"));
        Assert.Equal(Dispatch.Each(max: 16), host.Pipeline["store"].Dispatch);
        Assert.Equal(TimeSpan.FromSeconds(5), host.Hosted.Options.StallAfter);

        // A configuration cannot forget a key while it runs; an empty section is one without settings.
        host.Change(("Stages:store:Dispatch", "Batch"), ("Stages:store:Max", "4096"));
        Assert.Equal(Dispatch.Batch(max: 4096), host.Pipeline["store"].Dispatch);
        Assert.Equal([1, 7, 7], host.Logs.Ids);
    }

    [Fact]
    public async Task Change_WhileStagesStart_IsFollowedToo()
    {
        TestHost? host = null;
        var starts = new Starts(() => host!.Change(("Stages:store:Max", "16")));
        await using TestHost created = host = TestHost.Create((pipeline, _) => pipeline.Stage("start", starts).Stage("store", Pass));
        await host.StartAsync();
        Assert.Equal(16, host.Pipeline["store"].Dispatch.Max);
    }

    [Fact]
    public async Task Dispatch_ThatCodeHasSet_StaysThroughTheStart()
    {
        await using TestHost host = TestHost.Create(Define);
        Dispatch own = Dispatch.Batch(max: 16);
        host.Pipeline["store"].Dispatch = own;

        await host.StartAsync();

        Assert.Equal(own, host.Pipeline["store"].Dispatch);
        Assert.Equal([1], host.Logs.Ids);
    }

    [Fact]
    public async Task Change_ThatIsWrong_IsRefusedAsAWhole()
    {
        await using TestHost host = await TestHost.Create(Define).StartAsync();
        Dispatch store = host.Pipeline["store"].Dispatch, parse = host.Pipeline["parse"].Dispatch;

        host.Change(("Stages:store:Max", "16"), ("Stages:parse:Max", "none"));
        host.Change(("Stages:parse:Max", "2000"), ("Stages:parse:Min", "1000"));

        Assert.Equal((store, parse), (host.Pipeline["store"].Dispatch, host.Pipeline["parse"].Dispatch));
        Assert.Equal([1, 8, 8], host.Logs.Ids);
        Assert.Contains("Stages:parse:Max must be a whole number", host.Logs.Entries[1].Text, StringComparison.Ordinal);
        Assert.Contains("at most half the capacity", host.Logs.Entries[2].Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Change_ConfigureOfTheProgramThrows_IsRefusedAndWhoReloadsDoesNotGetIt()
    {
        bool fails = false;
        void Set(HostedPipelineOptions options)
        {
            if (fails) throw new FormatException("not now");
        }

        await using TestHost host = await TestHost
            .Create(services => services.AddPipeline<long>(TestHost.Name, Define).Configure(Set)).StartAsync();

        fails = true;
        host.Change(("StallAfter", "00:00:05"));
        Assert.Equal([1, 8], host.Logs.Ids);
        Assert.Contains("FormatException: not now", host.Logs.Entries[1].Text, StringComparison.Ordinal);

        // The next one is followed again.
        fails = false;
        host.Change(("StallAfter", "00:00:06"));
        Assert.Equal(TimeSpan.FromSeconds(6), host.Hosted.Options.StallAfter);
    }

    [Fact]
    public async Task Change_OfWhatCannotChangeLive_IsSaidOnce()
    {
        await using TestHost host = await TestHost.Create(Define).StartAsync();

        host.Change(("Capacity", "64"), ("Plan", "Fused"));
        host.Change();

        Assert.Equal([1, 9], host.Logs.Ids);
        Assert.Contains("the change of Capacity, Plan", host.Logs.Entries[1].Text, StringComparison.Ordinal);
        Assert.Equal((1024, Plan.Pooled), (host.Pipeline.Ring.Capacity, host.Pipeline.Plan));
    }

    [Theory]
    [InlineData("1000", "1", "Capacity: Capacity must be a power of two between 2 and 1073741824: capacity=1000. Use 1024.")]
    [InlineData("64", "40", "Capacity: A batch's minimum must be at most half the capacity")]
    public async Task Change_ToACapacityThatCannotBe_IsRefusedAtOnce(string capacity, string min, string text)
    {
        await using TestHost host = await TestHost.Create(Define).StartAsync();
        TimeSpan before = host.Hosted.Options.StallAfter;

        host.Change(("Capacity", capacity), ("Stages:store:Min", min), ("StallAfter", "00:00:05"));

        Assert.Equal([1, 8], host.Logs.Ids);
        Assert.Contains(text, host.Logs.Entries[1].Text, StringComparison.Ordinal);
        HostedPipelineOptions kept = host.Hosted.Options;
        Assert.Equal((1024, before, 1), (kept.Capacity, kept.StallAfter, host.Pipeline["store"].Dispatch.Min));
        // One that can be is followed the next time.
        host.Change(("Capacity", "128"));
        Assert.Equal(9, host.Logs.Ids[^1]);
    }

    [Theory]
    [InlineData("", "empty")]
    [InlineData("a:b", "must not hold a colon, which divides keys of the configuration: name='a:b'")]
    [InlineData("ORDERS", "must be unique in a host: name='ORDERS'")]
    public void AddPipeline_NameThatCannotBe_IsRefusedAtOnce(string name, string text)
    {
        var services = new ServiceCollection();
        services.AddPipeline<long>(TestHost.Name, Define);

        var refused = Assert.ThrowsAny<ArgumentException>(() => services.AddPipeline<int>(name, static (_, _) => { }));
        Assert.Contains(text, refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Keys_OfTheConfiguration_AreThoseOfTheDocument()
    {
        string[] documented = [.. KeyRow().Matches(Document.Text).Select(row => row.Groups[1].Value)];

        IEnumerable<string> known = typeof(HostedPipelineOptions).GetProperties().Select(property => property.Name)
            .SelectMany(name => name != nameof(HostedPipelineOptions.Stages)
                ? [name]
                : typeof(StageDispatchOptions).GetProperties().Select(property => $"Stages:<stage>:{property.Name}"));
        Assert.Equal(known.Order(StringComparer.Ordinal), documented.Order(StringComparer.Ordinal));
    }

    private static void Define(PipelineBuilder<long, long> pipeline, PipelineHandlers handlers) =>
        pipeline.Stage("parse", Pass).Stage("store", Pass);

    private static void Pass(ref long item)
    {
    }

    private sealed class Starts(Action start) : IBatchHandler<long>, IStageLifetime
    {
        public void OnBatch(Batch<long> batch)
        {
        }

        public void OnStart() => start();

        public void OnStop()
        {
        }
    }

    [GeneratedRegex(@"^\| `([A-Z][\w:<>]*)` \|.*\|.*\|", RegexOptions.Multiline)]
    private static partial Regex KeyRow();
}
