using System.Reflection;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Raceway.Gates.Tests.Api;
using Raceway.Gates.Tests.Docs.Examples;

namespace Raceway.Gates.Tests.Docs;

/// <summary>Each type that a user begins with has an example in its comment, and each example compiles.</summary>
/// <remarks>
/// A type is such a one unless its kind says that a user is given it or fills it in: an enumeration, a delegate, an exception, a
/// record, options, a type inside another. Some records and options are entry types all the same.
/// </remarks>
public sealed class ExampleTests
{
    private const string Transport = "what a transport of one's own is made of: longer than an example";

    private static readonly string[] s_recordsToo =
    [
        "Raceway.Pipelines.Diagnosis", "Raceway.Pipelines.PipelineSettings", "Raceway.Rings.Dispatch",
        "Raceway.Rings.RingOptions", "Raceway.Rings.RingOptions`1", "Raceway.Rings.StageOptions",
    ];

    /// <summary>The example of another type uses it: what a user is given, or makes for that type alone.</summary>
    private static readonly Dictionary<string, string> s_shownBy = new()
    {
        ["Raceway.Concurrency.Reply`1"] = "Raceway.Concurrency.Mailbox`1",
        ["Raceway.Concurrency.ScopeResult`1"] = "Raceway.Concurrency.TaskScope",
        ["Raceway.Interop.Distributed.InMemoryTransport"] = "Raceway.Interop.Distributed.InMemoryBroker",
        ["Raceway.Interop.Distributed.ItemCodec"] = "Raceway.Interop.Distributed.LinkSender`1",
        ["Raceway.Interop.Distributed.SplitRun`1"] = "Raceway.Interop.Distributed.SplitPipeline`1",
        ["Raceway.Interop.Framing"] = "Raceway.Interop.PipeBridge",
        ["Raceway.Interop.Journal.JournalCodec"] = "Raceway.Interop.Journal.Journal`1",
        ["Raceway.Interop.Logging.EntryWriter"] = "Raceway.Interop.Logging.EntryFormatter",
        ["Raceway.Pipelines.BatchGoal"] = "Raceway.Pipelines.BatchController",
        ["Raceway.Pipelines.Emitter`1"] = "Raceway.Pipelines.IExpandHandler`2",
        ["Raceway.Pipelines.KeyedItems`1"] = "Raceway.Pipelines.IKeyHandler`2",
        ["Raceway.Pipelines.PolledBatch`1"] = "Raceway.Pipelines.Poller`1",
        ["Raceway.Pipelines.StageSite`1"] = "Raceway.Pipelines.StageKind`1",
        ["Raceway.Rings.AsyncBatch`1"] = "Raceway.Rings.IAsyncBatchHandler`1",
        ["Raceway.Rings.PolledWaiter"] = "Raceway.Rings.PolledWait",
        ["Raceway.Rings.WaitView"] = "Raceway.Rings.PolledWait",
    };

    /// <summary>Without an example, each for a reason.</summary>
    private static readonly Dictionary<string, string> s_without = new()
    {
        ["Raceway.Interop.Distributed.IFrameHandler"] = Transport,
        ["Raceway.Interop.Distributed.IFrameReceiver"] = Transport,
        ["Raceway.Interop.Distributed.IFrameSender"] = Transport,
        ["Raceway.Interop.Distributed.ILinkTransport"] = Transport,
        ["Raceway.Interop.Distributed.TrialLimit"] = Transport,
        ["Raceway.Rings.IStageHandler`1"] = "a mark: the interfaces of handlers derive from it",
        ["Raceway.Rings.Steppable"] = "the base of Stage: drivers step it",
    };

    public static TheoryData<string> Documented =>
        [.. XmlDocs.Comments.Where(static one => one.Value.Descendants("example").Any()).Select(static one => one.Key).Order(StringComparer.Ordinal)];

    [Fact]
    public void EntryTypes_Comments_HaveAnExample()
    {
        string[] missing =
        [
            .. EntryTypes().Where(static type => CodeOf(type).Length == 0 && !s_shownBy.ContainsKey(type) && !s_without.ContainsKey(type)),
        ];
        Assert.True(missing.Length == 0, $"No <example> with <code>, and no other type's shows it:\n{string.Join('\n', missing)}");
    }

    [Fact]
    public void Exceptions_ShownElsewhere_AreInThatExample()
    {
        foreach ((string type, string by) in s_shownBy)
        {
            string name = type[(type.LastIndexOf('.') + 1)..].Split('`')[0];
            Assert.True(CodeOf(by).Any(code => Regex.IsMatch(code, $@"\b{name}\b")), $"The example of {by} does not show {name}.");
        }
    }

    [Fact]
    public void Exceptions_OfTypes_AreNeeded()
    {
        string[] entries = [.. EntryTypes()];
        Assert.All(s_shownBy.Keys.Concat(s_without.Keys), type => Assert.True(entries.Contains(type) && CodeOf(type).Length == 0, type));
    }

    [Theory]
    [MemberData(nameof(Documented))]
    public async Task Examples_AsTheyStand_Compile(string member)
    {
        XElement comment = XmlDocs.Comments[member];
        string[] blocks = [.. comment.Descendants("example").Descendants("code").Select(static code => code.Value)];
        Assert.NotEmpty(blocks);
        foreach (string code in blocks)
        {
            string[] mistakes = await ExampleCode.MistakesAsync(code);
            Assert.True(mistakes.Length == 0, $"{member}\n{string.Join('\n', mistakes)}\n{code}");
        }
    }

    /// <summary>The compiler and the rules are at work: a misuse is found, and a call that is not there.</summary>
    [Theory]
    [InlineData("producer.PublishAll(order);", "CS1061")]
    [InlineData("Claim<Order> claim = producer.Claim();", "RACE001")]
    [InlineData("public class", "CS1001")]
    public async Task Examples_WithAMistake_AreRefused(string code, string expected) =>
        Assert.Contains(await ExampleCode.MistakesAsync(code), mistake => mistake.Contains(expected, StringComparison.Ordinal));

    private static IEnumerable<string> EntryTypes() =>
        PublicApiTests.Libraries.SelectMany(static row => Assembly.Load(row.Data).GetExportedTypes())
            .Where(static type => s_recordsToo.Contains(type.FullName) || !(
                type.IsNested || type.IsEnum || typeof(Delegate).IsAssignableFrom(type) || typeof(Exception).IsAssignableFrom(type)
                || type.GetMethod("PrintMembers", BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.DeclaredOnly) is not null
                || type.Name.EndsWith("Options", StringComparison.Ordinal)))
            .Select(static type => type.FullName!);

    private static string[] CodeOf(string type) =>
        XmlDocs.Comments.TryGetValue($"T:{type}", out XElement? comment)
            ? [.. comment.Descendants("example").Descendants("code").Select(static code => code.Value)]
            : [];
}
