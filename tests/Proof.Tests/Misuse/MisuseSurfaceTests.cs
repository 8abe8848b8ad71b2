using System.Reflection;
using System.Runtime.CompilerServices;
using Raceway.Interop;

namespace Raceway.Proof.Tests.Misuse;

/// <summary>What is public is called by the fuzz, or is left out for a reason that is written here: a new member is neither.</summary>
public sealed class MisuseSurfaceTests
{
    private const BindingFlags Open = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Assembly[] s_libraries =
        [typeof(Stage).Assembly, typeof(SerialExecutor).Assembly, typeof(Poller<>).Assembly, typeof(ChannelBridge).Assembly];

    // By type, or by type and member; the member counts for all its overloads.
    private static readonly Dictionary<string, string> s_leftOut = new()
    {
        ["BatchController"] = "it sets Stage.Dispatch from a timer, which threads do here; its own life is BatchControllerTests",
        ["BatchCostFit"] = "a value, computed from its arguments",
        ["BatchGoal"] = "a value",
        ["BoundedParallel"] = "a call that shares nothing: its state ends with it",
        ["DataflowBridge"] = "on the writer and the reader of the channel bridge, which are called",
        ["ObservableBridge"] = "on the writer and the reader of the channel bridge, which are called",
        ["PipeBridge"] = "on the writer and the reader of the channel bridge, which are called",
        ["SequenceBridge"] = "on the writer and the reader of the channel bridge, which are called",
        ["ChannelBridge.PumpInto"] = "a task on a writer and a reader, which are called",
        ["ChannelBridge.AsChannelReader"] = "RunAsChannel makes the same reader",
        ["ChannelBridge.AsChannelWriter"] = "RunAsChannel makes the same writer",
        ["Emitter`1"] = "lives on the stack of one call of an expansion",
        ["KeyedItems`1"] = "lives on the stack of one call of a handler",
        ["Enumerator"] = "lives on the stack of the loop around it",
        ["KeyHash"] = "computes from its arguments",
        ["FaultPolicy"] = "a value; what a handler's fault does is the tier of faults",
        ["Framing"] = "a value",
        ["Overflow"] = "makes a handler, which one thread calls",
        ["Pipeline.Merge"] = "defines a pipeline: one thread, before there is anything to share",
        ["PipelineBuilder`2"] = "defines a pipeline: one thread, before there is anything to share",
        ["PolledWaiter"] = "a user's own class, called by the one thread that waits",
        ["StageKind`1"] = "defines a stage: one thread, before there is anything to share",
        ["StageSite`1"] = "attaches a stage while its pipeline is built, as StageKind",
        ["WaitView"] = "lives on the stack of one wait",
        ["SuppressedFailures"] = "reads an exception",
        ["Wait"] = "a value",
        ["Weigher"] = "a value",
        ["Batch`1..ctor"] = "makes a batch of a span for tests of handlers; there is no stage behind it",
        ["Batch`1.Drop"] = "the items would be missing from the count by their handler's decision: OverflowTests",
        ["Publisher`1..ctor"] = "a publisher made before its ring: EndsTests; then it is one like the others",
        ["RingBuffer`1.CreateAnyProducer"] = "one of the two that are called, by the ring's kind",
        ["RingBuffer`1.Subscribe"] = "three overloads are called: the outcome handlers are OutcomeTests",
        ["Subscribing.Subscribe"] = "RingBuffer.Subscribe is the same for the ring's own slots",
        ["Subscribing.SubscribeBatches"] = "as Subscribe, with a handler that is a struct",
        ["Subscribing.SubscribeEvents"] = "as Subscribe, with a handler that is a struct",
        ["Subscribing.SubscribeMaps"] = "as Subscribe, with a handler that is a struct",
        ["Subscribing.SubscribeOutcomes"] = "as Subscribe, with a handler that is a struct",
        ["Mailbox"] = "makes a mailbox; the handlers of every kind are called",
    };

    [Fact]
    public void Members_OfWhatThreadsShare_AreCalledOrLeftOutForAReason()
    {
        HashSet<(Module, int)> called = CalledMembers.In(typeof(Case));
        string[] missing =
        [
            .. Shared().SelectMany(static type => Members(type))
                .Where(member => !called.Contains(CalledMembers.Key(member)) && !IsLeftOut(member))
                .Select(static member => $"{Name(member)}  ({member})"),
        ];
        Assert.True(
            missing.Length == 0,
            "These public members are neither called by an operation of the fuzz nor left out for a reason. Add an operation to "
            + $"its world, or the member and the reason to this list:\n{string.Join('\n', missing)}");
    }

    [Fact]
    public void LeftOut_EveryEntry_IsStillThereAndNotCalled()
    {
        HashSet<(Module, int)> called = CalledMembers.In(typeof(Case));
        MethodBase[] members = [.. Shared().SelectMany(Members)];
        HashSet<string> known = [.. Shared().Select(static type => type.Name), .. members.Select(Name)];
        string[] stale =
        [
            .. s_leftOut.Keys.Where(name => !known.Contains(name)
                || (name.Contains('.', StringComparison.Ordinal)
                    && members.Where(member => Name(member) == name).All(member => called.Contains(CalledMembers.Key(member))))),
        ];
        Assert.True(stale.Length == 0, $"Take out of the list what is gone or called by now: {string.Join(", ", stale)}");
    }

    // What is only made and read belongs to one thread: values, options, delegates, and what users implement.
    private static IEnumerable<Type> Shared() => s_libraries.SelectMany(static library => library.GetExportedTypes()).Where(static type =>
        !type.IsEnum && !type.IsInterface && !typeof(Delegate).IsAssignableFrom(type) && !typeof(Exception).IsAssignableFrom(type)
        && type.GetMethod("PrintMembers", BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.DeclaredOnly) is null);

    private static IEnumerable<MethodBase> Members(Type type) =>
    [
        .. type.GetMethods(Open).Where(static method => method.GetBaseDefinition() == method || method.DeclaringType == typeof(object)),
        .. type.GetConstructors(BindingFlags.Public | BindingFlags.Instance),
    ];

    private static bool IsLeftOut(MethodBase member) =>
        s_leftOut.ContainsKey(member.DeclaringType!.Name) || s_leftOut.ContainsKey(Name(member))
        || member.IsDefined(typeof(CompilerGeneratedAttribute)) && member.Name.StartsWith('<');

    private static string Name(MethodBase member) => $"{member.DeclaringType!.Name}.{member.Name}";
}
