using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Raceway.Interop.Logging;

/// <summary>Makes the text of an entry of Microsoft.Extensions.Logging.</summary>
/// <remarks><b>Threads</b>: called by all threads that log, at the same time; and by the writer for the line that says what was dropped.</remarks>
/// <example>
/// <code>
/// internal sealed class Brief : EntryFormatter
/// {
///     public override void Write&lt;TState>(in LogEntry&lt;TState> entry, IExternalScopeProvider? scopes, EntryWriter writer)
///     {
///         writer.WriteTimestamp();
///         writer.Write(' ');
///         writer.WriteLine(entry.Formatter(entry.State, entry.Exception));
///     }
/// }
/// </code>
/// </example>
public abstract class EntryFormatter
{
    /// <summary>A line of text: time, level, category, event id, scopes, message; an exception on the lines that follow.</summary>
    public static EntryFormatter Text { get; } = new TextEntryFormatter();

    /// <summary>A line of JSON with the names that the console's JSON has; values of messages and scopes by name.</summary>
    public static EntryFormatter Json { get; } = new JsonEntryFormatter();

    /// <summary>Whether it uses nothing but what it is given: no culture, nothing of its thread.</summary>
    internal virtual bool UsesEntryAlone => false;

    /// <summary>Writes the whole entry, with its line break.</summary>
    /// <param name="entry">What was logged.</param>
    /// <param name="scopes">The scopes that it was logged in; null if they are left out.</param>
    /// <param name="writer">Takes it; has the time.</param>
    /// <typeparam name="TState">The state's type.</typeparam>
    public abstract void Write<TState>(in LogEntry<TState> entry, IExternalScopeProvider? scopes, EntryWriter writer);
}
