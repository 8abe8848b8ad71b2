using System.Diagnostics;

namespace Raceway.Interop.Logging.Writing;

/// <summary>Keeps in a slot what an entry is made from, until the writer makes it.</summary>
/// <remarks>
/// A slot gets entries of several types of state. For each it has a keeper, so that nothing is allocated once all types have come by.
/// They are a chain, in which the one in use is the first.
/// <para><b>Threads</b>: the one that owns the slot: its publisher, then the writer.</para>
/// </remarks>
internal abstract class EntryKeeper
{
    /// <summary>A slot has keepers for so many types of state. With more of them the one that was not used for longest makes room.</summary>
    public const int Most = 8;

    private EntryKeeper? _next;

    /// <summary>The keeper of a type, which is the slot's first one from now on.</summary>
    public static EntryKeeper<TState> Of<TState>(ref EntryKeeper? first)
    {
        if (first is EntryKeeper<TState> found) return found;
        return Find<TState>(ref first);
    }

    /// <summary>Makes the entry.</summary>
    public abstract void Format(EntryWriter writer);

    /// <summary>Lets go of what it has kept.</summary>
    public abstract void Forget();

    private static EntryKeeper<TState> Find<TState>(ref EntryKeeper? first)
    {
        int passed = 0;
        EntryKeeper? before = null;
        for (EntryKeeper? at = first; at is not null; before = at, at = at._next)
        {
            passed++;
            bool isFound = at is EntryKeeper<TState>;
            if (!isFound && passed < Most) continue;
            // Found, or the last of as many as there may be.
            Debug.Assert(before is not null, "The first one is not of this type, and is not the only one that may be.");
            before._next = at._next;
            if (!isFound) break;
            at._next = first;
            first = at;
            return (EntryKeeper<TState>)at;
        }

        var made = new EntryKeeper<TState> { _next = first };
        first = made;
        return made;
    }
}

/// <inheritdoc/>
/// <typeparam name="TState">What the entry is made from.</typeparam>
internal sealed class EntryKeeper<TState> : EntryKeeper
{
    private TState? _state;
    private EntryFormat<TState>? _format;

    public void Keep(in TState state, EntryFormat<TState> format) => (_state, _format) = (state, format);

    public override void Format(EntryWriter writer) => _format!(_state!, writer);

    public override void Forget() => (_state, _format) = (default, null);
}
