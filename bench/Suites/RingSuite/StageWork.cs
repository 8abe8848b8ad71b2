using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>What a stage does, the same for every contestant: a contestant's handlers and loops are made around it.</summary>
/// <remarks>Structs, so that the calls are inlined. Copied to a local for a loop, they keep their state in registers.</remarks>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
public interface IStageWork<TSlot>
    where TSlot : struct, ISlot<TSlot>
{
    /// <summary>Whether it has something to report.</summary>
    static abstract bool Checks { get; }

    /// <summary>Handles the next item.</summary>
    void Take(ref TSlot slot);

    /// <summary>Hands in what was checked, when the last item was taken.</summary>
    void Report(RingLoad load, int stage);
}

/// <summary>Adds to each item.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
public readonly struct Adding<TSlot>(RingLoad load) : IStageWork<TSlot>
    where TSlot : struct, ISlot<TSlot>
{
    private readonly int _increments = load.Shape.Increments;

    /// <inheritdoc/>
    public static bool Checks => false;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(ref TSlot slot) => TSlot.Work(ref slot, _increments);

    /// <inheritdoc/>
    public void Report(RingLoad load, int stage)
    {
    }
}

/// <summary>Adds to each item, and adds the items up.</summary>
/// <remarks>
/// The cheapest work that still shows an item that is lost, repeated or changed: the sum is then another one than that of the
/// formula. It does not show that two items have changed places.
/// </remarks>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
public struct AddingAndSumming<TSlot>(RingLoad load) : IStageWork<TSlot>
    where TSlot : struct, ISlot<TSlot>
{
    private readonly int _increments = load.Shape.Increments;
    private long _sum;

    /// <inheritdoc/>
    public static bool Checks => true;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(ref TSlot slot)
    {
        TSlot.Work(ref slot, _increments);
        _sum += TSlot.Read(ref slot);
    }

    /// <inheritdoc/>
    public readonly void Report(RingLoad load, int stage) => load.Report(_sum, stage);
}

/// <summary>Adds the items up, and leaves them as they are. See <see cref="AddingAndSumming{TSlot}"/> for what that shows.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
public struct Summing<TSlot> : IStageWork<TSlot>
    where TSlot : struct, ISlot<TSlot>
{
    private long _sum;

    /// <inheritdoc/>
    public static bool Checks => true;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(ref TSlot slot) => _sum += TSlot.Read(ref slot);

    /// <inheritdoc/>
    public readonly void Report(RingLoad load, int stage) => load.Report(_sum, stage);
}

/// <summary>Adds to each item, and checks it.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
public struct AddingAndChecking<TSlot>(RingLoad load, int stage) : IStageWork<TSlot>
    where TSlot : struct, ISlot<TSlot>
{
    private readonly int _increments = load.Shape.Increments;
    private Check _check = load.NewCheck(stage);

    /// <inheritdoc/>
    public static bool Checks => true;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(ref TSlot slot)
    {
        TSlot.Work(ref slot, _increments);
        _check.Take(TSlot.Read(ref slot));
    }

    /// <inheritdoc/>
    public readonly void Report(RingLoad load, int stage) => load.Report(_check, stage);
}

/// <summary>Checks each item, and leaves it as it is.</summary>
/// <typeparam name="TSlot">How an item lies in memory.</typeparam>
public struct Checking<TSlot>(RingLoad load, int stage) : IStageWork<TSlot>
    where TSlot : struct, ISlot<TSlot>
{
    private Check _check = load.NewCheck(stage);

    /// <inheritdoc/>
    public static bool Checks => true;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(ref TSlot slot) => _check.Take(TSlot.Read(ref slot));

    /// <inheritdoc/>
    public readonly void Report(RingLoad load, int stage) => load.Report(_check, stage);
}
