using System.Diagnostics;

namespace Accounts;

/// <summary>The service in processes of its own: one that is left alone, and one that is killed again and again.</summary>
internal static class Demo
{
    private const int Kills = 5;

    public static async Task<int> RunAsync()
    {
        string folder = Directory.CreateTempSubdirectory("raceway-accounts-").FullName;
        try
        {
            string whole = await PrepareAsync(folder, "whole");
            long begun = Stopwatch.GetTimestamp();
            Console.WriteLine($"without interruption    {await EndAsync(Start("run", whole))}");
            TimeSpan took = Stopwatch.GetElapsedTime(begun);

            string? killed = null;
            for (int kills = 0, runs = 0; kills < Kills;)
            {
                killed ??= await PrepareAsync(folder, $"killed-{runs++}");
                using Process one = Start("run", killed);
                if (one.WaitForExit(Random.Shared.NextDouble() * took))
                {
                    // Done before its time: nothing is left to kill, so another folder begins anew.
                    await EndAsync(one);
                    (killed, took) = (null, took * 0.8);
                    continue;
                }

                one.Kill();
                await one.WaitForExitAsync();
                kills++;
            }

            Console.WriteLine($"killed {Kills} times          {await EndAsync(Start("run", killed!))}");
            Console.WriteLine($"verify                  {await EndAsync(Start("verify", killed!))}");
            bool isSame = Output.Read(whole).AsSpan().SequenceEqual(Output.Read(killed!));
            Console.WriteLine($"the same replies, byte for byte: {isSame}");
            return isSame ? 0 : 1;
        }
        finally
        {
            foreach (string one in Directory.GetDirectories(folder)) await Rabbit.DeleteAsync(one);
            Directory.Delete(folder, recursive: true);
        }
    }

    private static async Task<string> PrepareAsync(string folder, string name)
    {
        string one = Path.Combine(folder, $"{Path.GetFileName(folder)}-{name}");
        Directory.CreateDirectory(one);
        if (Rabbit.IsAskedFor) await Rabbit.FeedAsync(one);
        return one;
    }

    private static Process Start(string command, string folder) => Process.Start(
        new ProcessStartInfo(Environment.ProcessPath!, [command, folder]) { RedirectStandardOutput = true })!;

    // Its last line.
    private static async Task<string> EndAsync(Process process)
    {
        string output = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        if (process.ExitCode != 0) throw new InvalidDataException($"The service has ended with {process.ExitCode}: {output}");
        return output.TrimEnd().Split('\n')[^1];
    }
}
