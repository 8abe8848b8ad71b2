using System.Diagnostics;
using System.IO.Pipes;
using System.Text.Json;

namespace Raceway.Analysis.Tuning;

/// <summary>Runs trials of a user's code in a process of its own, which may hang or die.</summary>
/// <remarks>One trial at a time. After a death the next trial is given a new process.</remarks>
public sealed class RemoteTrialHost : ITrialHost, IDisposable
{
    private const int LinesKept = 5;
    private static readonly TimeSpan s_start = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_lastWords = TimeSpan.FromSeconds(1);

    private readonly Func<string, string, ProcessStartInfo> _start;
    private readonly Queue<string> _said = new();
    private Process? _process;
    private StreamWriter? _requests;
    private StreamReader? _answers;

    private RemoteTrialHost(Func<string, string, ProcessStartInfo> start) => _start = start;

    /// <inheritdoc/>
    public string Name { get; private set; } = "";

    /// <summary>Processes that died or were ended because they hung.</summary>
    public int Deaths { get; private set; }

    /// <summary>Starts the process and asks what it has.</summary>
    /// <param name="start">
    /// The process, given the handles of the pipes for requests and answers: the tool itself with the command that serves trials.
    /// </param>
    /// <param name="cancellation">Ends the start early.</param>
    /// <exception cref="TuneException">It has nothing to try, or cannot be started.</exception>
    public static RemoteTrialHost Start(Func<string, string, ProcessStartInfo> start, CancellationToken cancellation)
    {
        var host = new RemoteTrialHost(start);
        try
        {
            host.Revive(cancellation);
            return host;
        }
        catch
        {
            host.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The trial failed, or its process died; the message says how.</exception>
    public TrialReply Run(TrialRequest request, CancellationToken cancellation)
    {
        // Not a process only to be ended again.
        cancellation.ThrowIfCancellationRequested();
        if (_process is null) Revive(cancellation);
        try
        {
            _requests!.WriteLine(TrialMessage.ToJson(request));
            _requests.Flush();
        }
        catch (IOException)
        {
            // It has died meanwhile: reading says how.
        }

        TrialMessage answer = Read(cancellation);
        return answer.Reply ?? throw new InvalidOperationException(answer.Error ?? "an answer without a figure");
    }

    /// <inheritdoc/>
    public void Dispose() => End();

    private void Revive(CancellationToken cancellation)
    {
        try
        {
            // What the user's code reads and prints must not come between requests and answers: they have pipes of their own.
            var requests = new AnonymousPipeServerStream(PipeDirection.Out, HandleInheritability.Inheritable);
            var answers = new AnonymousPipeServerStream(PipeDirection.In, HandleInheritability.Inheritable);
            ProcessStartInfo start = _start(requests.GetClientHandleAsString(), answers.GetClientHandleAsString());
            (start.RedirectStandardInput, start.RedirectStandardOutput, start.RedirectStandardError) = (true, true, true);
            start.UseShellExecute = false;
            _process = Process.Start(start) ?? throw new TuneException("the process for the assembly cannot be started.");
            // The terminal's input is the tool's: there is nothing to read.
            _process.StandardInput.Close();
            requests.DisposeLocalCopyOfClientHandle();
            answers.DisposeLocalCopyOfClientHandle();
            _requests = new StreamWriter(requests);
            _answers = new StreamReader(answers);
        }
        catch (System.ComponentModel.Win32Exception error)
        {
            throw new TuneException($"the process for the assembly cannot be started: {error.Message}");
        }

        lock (_said) _said.Clear();
        _process.ErrorDataReceived += (_, line) => Keep(line.Data);
        _process.OutputDataReceived += (_, line) => Keep(line.Data);
        _process.BeginErrorReadLine();
        _process.BeginOutputReadLine();
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(s_start);
        TrialMessage first;
        try
        {
            first = Read(limit.Token);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            throw new TuneException($"the process for the assembly did not begin within {s_start.TotalSeconds:0} s.");
        }
        catch (InvalidOperationException error)
        {
            throw new TuneException(error.Message);
        }

        Name = first.Name ?? throw new TuneException(first.Error ?? "the process for the assembly says nothing.");
    }

    // The caller gives up a trial that hangs. Its process must end then.
    private TrialMessage Read(CancellationToken cancellation)
    {
        try
        {
            string? line = _answers!.ReadLineAsync(cancellation).AsTask().GetAwaiter().GetResult();
            if (line is not null && TrialMessage.Parse(line) is { } message) return message;
        }
        catch (OperationCanceledException)
        {
            Deaths++;
            End();
            throw;
        }
        catch (Exception error) when (error is IOException or JsonException)
        {
            // As if it had ended.
        }

        Deaths++;
        throw new InvalidOperationException(End());
    }

    /// <summary>Ends the process, and says how it ended.</summary>
    private string End()
    {
        if (_process is not { } process) return "";
        _process = null;
        try
        {
            _requests?.Dispose();
            _answers?.Dispose();
        }
        catch (IOException)
        {
            // It is gone already.
        }

        // What has said its last word may need a moment to be gone.
        if (!process.WaitForExit(TimeSpan.FromMilliseconds(500))) process.Kill(entireProcessTree: true);
        using (var limit = new CancellationTokenSource(s_lastWords))
        {
            try
            {
                process.WaitForExitAsync(limit.Token).GetAwaiter().GetResult();
            }
            catch (OperationCanceledException)
            {
                // A process that it started holds what it writes to open: what was said until now is enough.
            }
        }

        string said;
        lock (_said) said = string.Join(" | ", _said);
        string text = (process.HasExited ? $"its process ended with exit code {process.ExitCode}" : "its process does not end") + (said.Length == 0 ? "" : $": {said}");
        process.Dispose();
        return text;
    }

    // The first lines of a crash say what it was.
    private void Keep(string? line)
    {
        if (string.IsNullOrWhiteSpace(line)) return;
        lock (_said)
        {
            if (_said.Count < LinesKept) _said.Enqueue(line.Trim());
        }
    }
}
