// wrong
await using Mailbox<string> log = Mailbox.Start<string>(async line => await File.AppendAllTextAsync("log", line)); // RACE007
log.Post("one");

// fixed
await using Mailbox<string> log = Mailbox.Start<string>(async (line, cancellation) => await File.AppendAllTextAsync("log", line));
log.Post("one");
