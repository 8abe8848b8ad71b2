using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Raceway.Analysis.Layouts;
using Raceway.LayoutSamples;

namespace Raceway.Lab.Tests.Analysis.Layouts;

/// <summary>Nothing else runs meanwhile: ClrMD reads the memory of the running process.</summary>
[CollectionDefinition(nameof(ClrMdTests), DisableParallelization = true)]
public sealed class ClrMdAlone;

/// <summary>Sizes and offsets are those that ClrMD reads from the runtime's structures.</summary>
[Collection(nameof(ClrMdTests))]
public sealed class ClrMdTests
{
    private static readonly Type[] s_closed =
    [
        typeof(List<int>), typeof(List<string>), typeof(Dictionary<string, long>), typeof(Dictionary<int, Guid>),
        typeof(Dictionary<string, long>.Enumerator), typeof(KeyValuePair<string, int>), typeof(KeyValuePair<byte, decimal>),
        typeof(Queue<long>), typeof(Stack<object>), typeof(HashSet<char>), typeof(LinkedList<int>), typeof(LinkedListNode<int>),
        typeof(SortedDictionary<int, string>), typeof(PriorityQueue<string, int>), typeof(ConcurrentQueue<long>),
        typeof(ConcurrentDictionary<string, object>), typeof(ConcurrentBag<int>), typeof(BlockingCollection<int>),
        typeof(Task<int>), typeof(Task<string>), typeof(TaskCompletionSource<long>), typeof(ValueTask<int>),
        typeof(ValueTask<string>),
        typeof(Lazy<int>), typeof(Tuple<int, string>), typeof(ValueTuple<byte, long, byte>), typeof(ValueTuple<string, int>),
        typeof(int?), typeof(Guid?), typeof(DateTime?), typeof(Memory<byte>), typeof(ReadOnlyMemory<char>), typeof(Span<byte>),
        typeof(ReadOnlySpan<char>), typeof(ArraySegment<int>), typeof(AsyncTaskMethodBuilder<int>), typeof(WeakReference<object>),
        typeof(ThreadLocal<int>), typeof(AsyncLocal<string>), typeof(Progress<int>), typeof(BoundedChannelOptions),
        typeof(Action), typeof(Func<int, string>), typeof(Index), typeof(Range), typeof(Exception), typeof(TypedReference),
    ];

    [Fact]
    public void Inspect_TypesOfTheRuntime_AgreesWithClrMd()
    {
        Type[] types = [.. s_closed, .. typeof(object).Assembly.GetExportedTypes().Where(IsPlain)];
        Compare(types, out int live, out int fields);

        Assert.True(types.Length >= 500, $"{types.Length} types");
        Assert.True(live >= 400, $"{live} live");
        Assert.True(fields >= 1_000, $"{fields} fields");
    }

    [Fact]
    public void Inspect_OwnTypes_AgreesWithClrMd()
    {
        Type[] types = [.. OwnTypes.All.SelectMany(static one => ClosedTypes.Of(one, OwnTypes.All)).Where(IsPlain)];
        Compare(types, out _, out _);

        Assert.True(types.Length >= 200, $"{types.Length} types");
        // Only what the compiler made of lambdas in methods with constraints of their own cannot be closed.
        Assert.All(
            OwnTypes.All.Where(static one => !ClosedTypes.Of(one, OwnTypes.All).Any()),
            static one => Assert.StartsWith("<", one.Name, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(typeof(Empty))]
    [InlineData(typeof(EmptyStruct))]
    [InlineData(typeof(Abstract))]
    [InlineData(typeof(Mixed))]
    [InlineData(typeof(Derived))]
    [InlineData(typeof(Union))]
    [InlineData(typeof(Packed))]
    [InlineData(typeof(Sized))]
    [InlineData(typeof(Pad120))]
    [InlineData(typeof(FourUnions))]
    [InlineData(typeof(InlinePadded))]
    [InlineData(typeof(Pointers))]
    [InlineData(typeof(FixedBuffer))]
    [InlineData(typeof(OnStack))]
    [InlineData(typeof(SizedClass))]
    [InlineData(typeof(SizedStructInClass))]
    [InlineData(typeof(SequentialWithReference))]
    [InlineData(typeof(GenericBox<int>))]
    [InlineData(typeof(GenericBox<string>))]
    [InlineData(typeof(Outer<int>.Inner<string>))]
    [InlineData(typeof(Finalized))]
    [InlineData(typeof(DayOfWeek))]
    public void Inspect_EveryShape_AgreesWithClrMd(Type type)
    {
        ArgumentNullException.ThrowIfNull(type);
        TypeLayout layout = LayoutInspector.Inspect(type);
        using var clrMd = new ClrMd();

        Assert.Equal("", clrMd.Difference(layout) ?? "");
    }

    private static void Compare(IReadOnlyList<Type> types, out int live, out int fields)
    {
        TypeLayout[] layouts = [.. types.Select(static one => LayoutInspector.Inspect(one))];
        using var clrMd = new ClrMd();
        Assert.Equal("", string.Join('\n', layouts.Select(clrMd.Difference).OfType<string>()));
        Assert.Contains(layouts, static one => one.Kind == LayoutKind.Struct);
        Assert.Contains(layouts, static one => one.Kind == LayoutKind.RefStruct);
        Assert.Contains(layouts, static one => one.Fields.Count == 0);
        Assert.Contains(layouts, static one => one.Type.IsGenericType);
        (live, fields) = (layouts.Count(static one => one.NotLive is null), clrMd.Fields);
    }

    private static bool IsPlain(Type type) => LayoutInspector.Refusal(type) is null;
}
