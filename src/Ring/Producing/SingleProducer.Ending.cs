using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <content>How claims end.</content>
public sealed unsafe partial class SingleProducer<T>
{
    internal override bool TryEnd(long number, long first, int count, int published)
    {
        if (number != _number) return false;
        if (first != Volatile.Read(ref *_cursor) + 1) return IsPublishedOver();
        EndNow(first, count, published);
        return true;
    }

    internal override void Settle(long first, int count, int published) => EndNow(first, count, published);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void EndNow(long first, int count, int published)
    {
        Store(first, published);
        Free(first + published, moved: published != 0);
        if (Volatile.Read(ref *_waiters) != 0) Tell(first, count, published);
    }

    /// <summary>Publishes the first <paramref name="published"/> of what an <see cref="OpenProducer{T}"/> has claimed.</summary>
    internal void End(long first, int count, int published)
    {
        Store(first, published);
        if (Volatile.Read(ref *_waiters) != 0) Tell(first, count, published);
    }

    /// <summary>Takes over from an <see cref="OpenProducer{T}"/>, unless a copy has ended it: behind what was published.</summary>
    internal void Close(long number)
    {
        if (number != _number) return;
        long next = Volatile.Read(ref *_cursor) + 1;
        Settle(next, (int)(_lane.ClaimedThrough + 1 - next), 0);
    }

    /// <summary>Throws if an <see cref="OpenProducer{T}"/> is a copy left behind: another one has published, or was given back.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void CheckOpen(long number, long next)
    {
        if (number != _number || next != Volatile.Read(ref *_cursor) + 1) throw ProducerErrors.OpenCopied();
    }

    /// <summary>Refuses to store an item over a slot's object: out of line, as the type's name is looked up for it.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void RefuseCopies() => CheckCopies();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GiveUp(long first, int count)
    {
        Store(first, 0);
        if (Volatile.Read(ref *_waiters) != 0) Tell(first, count, 0);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Store(long first, int published)
    {
        long last = first + published - 1;
        // ORDER: release; pairs with ReadAcquire by the stages. The announcement follows, so that a drain never sees less
        // claimed than published.
        if (published > 0) Volatile.Write(ref *_cursor, last);
        Volatile.Write(ref *_claimed, last);
    }

    // Only behind the two cells: the next producer begins at what they say.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Free(long next, bool moved)
    {
        _state.Next = next;
        // An OpenProducer that a copy has given back may publish here, until something was published: see Acquire.
        _state.FastLimit = moved && Copies ? _state.Limit : -1;
        // ORDER: stored, then looked; pairs with the process-wide barrier of Dispose: one of the two forgets the handle.
        Volatile.Write(ref _number, (_number | 1) + 1);
        if (IsDisposed) Retire();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Tell(long first, int count, int published)
    {
        if (!TrySignal(first, first + published - 1)) Ring.EndLate(_lane, first, count, published);
    }

    // A claim that an OpenProducer, given back by a copy of it, has gone on under: nothing of it is published.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsPublishedOver()
    {
        long published = Volatile.Read(ref *_cursor);
        Volatile.Write(ref *_claimed, published);
        Free(published + 1, moved: false);
        return false;
    }
}
