namespace Raceway.Interop.Logging;

/// <summary>Writes an entry: the whole of it, with its line break.</summary>
/// <typeparam name="TState">What it is made from.</typeparam>
public delegate void EntryFormat<TState>(TState state, EntryWriter writer)
    where TState : allows ref struct;
