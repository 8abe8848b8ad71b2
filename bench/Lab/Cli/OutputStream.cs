using System.Runtime.InteropServices;
using System.Text;

namespace Raceway.Lab.Cli;

/// <summary>
/// A standard stream of the process that does not end a command: what cannot be written is dropped, and why is kept.
/// </summary>
/// <param name="inner">Where to write.</param>
/// <param name="descriptor">The number of the stream.</param>
internal sealed partial class OutputStream(TextWriter inner, int descriptor) : TextWriter
{
    private const int GetFlags = 1, CloseOnExec = 1;
    private const short Error = 8, HangUp = 16;

    /// <summary>Why something could not be written; <see langword="null"/> where all was.</summary>
    public string? Fault { get; private set; } = IsOurs(descriptor) ? null : "it is closed";

    /// <summary>Whether nothing reads it any more, as behind <c>| head -1</c>.</summary>
    public bool HasNoReader => Fault is null && IsBroken(descriptor);

    /// <inheritdoc/>
    public override Encoding Encoding => inner.Encoding;

    /// <inheritdoc/>
    public override void Write(char value) => Guard(() => inner.Write(value));

    /// <inheritdoc/>
    public override void Write(string? value) => Guard(() => inner.Write(value));

    /// <inheritdoc/>
    public override void Write(char[] buffer, int index, int count) => Guard(() => inner.Write(buffer, index, count));

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<char> buffer) => Write(buffer.ToString());

    /// <inheritdoc/>
    public override void WriteLine(string? value) => Guard(() => inner.WriteLine(value));

    /// <inheritdoc/>
    public override void Flush() => Guard(inner.Flush);

    private void Guard(Action write)
    {
        if (Fault is not null) return;
        try
        {
            write();
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ObjectDisposedException)
        {
            Fault = (error.InnerException ?? error).Message;
        }
    }

    // Where a process begins without the stream, the runtime opens something of its own in its place: a pipe for signals, say.
    // That is closed for programs that are started, which what was handed over cannot be.
    private static bool IsOurs(int descriptor) => Asked(() =>
        Fcntl(descriptor, GetFlags) is var flags && flags >= 0 && (flags & CloseOnExec) == 0) ?? true;

    private static bool IsBroken(int descriptor) => Asked(() =>
    {
        var poll = new PollEntry { Descriptor = descriptor };
        return Poll(ref poll, 1, 0) > 0 && (poll.Found & (Error | HangUp)) != 0;
    }) ?? false;

    private static bool? Asked(Func<bool> ask)
    {
        try
        {
            return OperatingSystem.IsLinux() || OperatingSystem.IsMacOS() ? ask() : null;
        }
        catch (Exception error) when (error is DllNotFoundException or EntryPointNotFoundException)
        {
            return null;
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct PollEntry
    {
        public int Descriptor;
        public short Asked;
        public short Found;
    }

    [LibraryImport("libc", EntryPoint = "fcntl")]
    private static partial int Fcntl(int descriptor, int command);

    [LibraryImport("libc", EntryPoint = "poll")]
    private static partial int Poll(ref PollEntry entry, nuint count, int milliseconds);
}
