using System.Collections.Concurrent;

namespace Raceway.Analysis.Tuning;

/// <summary>The process of a user's assembly: runs the trials that it is asked for, one after the other.</summary>
public static class TrialServer
{
    /// <summary>Answers requests until there are no more.</summary>
    /// <param name="input">A request a line.</param>
    /// <param name="output">An answer a line; the first says what is tried, or why nothing can be.</param>
    /// <param name="load">Finds the trial.</param>
    /// <param name="abandon">Ends the process: the process that asked is gone, and a trial may hang.</param>
    public static void Run(TextReader input, TextWriter output, Func<ITrialHost> load, Action abandon)
    {
        using var requests = new BlockingCollection<string>();
        var reader = new Thread(() =>
        {
            try
            {
                while (input.ReadLine() is { } line) requests.Add(line);
            }
            catch (IOException)
            {
                // Gone as well.
            }

            requests.CompleteAdding();
            abandon();
        }) { IsBackground = true, Name = "requests" };

        ITrialHost? host = null;
        Answer(output, () => new TrialMessage(Name: (host = load()).Name));
        if (host is null) return;
        reader.Start();
        foreach (string line in requests.GetConsumingEnumerable())
            Answer(output, () => new TrialMessage(Reply: host.Run(TrialMessage.ParseRequest(line)!, CancellationToken.None)));
    }

    private static void Answer(TextWriter output, Func<TrialMessage> answer)
    {
        TrialMessage message;
        try
        {
            message = answer();
        }
        catch (TuneException error)
        {
            message = new TrialMessage(Error: error.Message);
        }
        catch (Exception error)
        {
            message = new TrialMessage(Error: $"{error.GetType().Name}: {error.Message}");
        }

        output.WriteLine(message.ToJson());
        output.Flush();
    }
}
